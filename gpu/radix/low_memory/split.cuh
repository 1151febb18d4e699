// Splits a range of the array by one digit, in place except for a hole: free memory for about a
// tenth of the keys, which moves through the array as pages.
//
//     keys   [ a a a a | b b b b | c c c c | d d d d ]  hole [ . . . ]    count: where bins begin
//     fill   [ 1 . 0 2 |  ...    |    .    |    .    ]       [ 2 0 1 ]    a page holds one bin
//     order  [ 0 0 0 0 0 . | 1 1 1 1 . | 2 2 2 2 2 2 ]       [ . . . ]    pages to their places
//     mend   [ 0 0 0 0 0 0 | 1 1 1 1 1 | 2 2 2 2 2 2 ]                    the rest to its bins
//
// fill: tiles are read in order. A tile claims places in the bins' sequences of keys. The block
// that claims the first place of a page takes the next free page: first those in the hole, then the
// array's first pages, whose keys have long been read. A block that needs a page begun by another
// block waits until that one publishes its place.
// order: warps move pages. A warp puts its page in the next slot of its bin and continues with the
// page that was there, until it finds an empty slot. A bin's slots fill from below, and its
// remaining old pages are taken from above; one 64-bit word holds both ends.
// mend: a bin rarely begins where a page does. Keys of its last page that reach into the next bin,
// and those that filled no page, fill the gaps at its two ends.
//
// No block waits for one that is not running. Only tiles that have been read claim places, so N
// tiles take fewer pages than N tiles hold plus one page per bin. If the hole has room for these
// and a tile, the next free page belongs to a tile that has begun; and reading a tile needs no
// wait.
// Source: in-place samplesort, IPS4o (Axtmann, Witt, Ferizovic, Sanders 2017), for order and mend.
#pragma once

#include "gpu/radix/low_memory/count.cuh"
#include "gpu/radix/low_memory/fill.cuh"
#include "gpu/radix/low_memory/mend.cuh"
#include "gpu/radix/low_memory/order.cuh"
