// Splits a stretch of the array by one digit, in place but for a hole: room for a tenth of the
// keys or so, which moves through the array as pages.
//
//     keys   [ a a a a | b b b b | c c c c | d d d d ]  hole [ . . . ]    count: where bins begin
//     fill   [ 1 . 0 2 |  ...    |    .    |    .    ]       [ 2 0 1 ]    a page holds one bin
//     order  [ 0 0 0 0 0 . | 1 1 1 1 . | 2 2 2 2 2 2 ]       [ . . . ]    pages to their places
//     mend   [ 0 0 0 0 0 0 | 1 1 1 1 1 | 2 2 2 2 2 2 ]                    loose ends to theirs
//
// fill: tiles are read in order. A tile claims places in the bins' sequences of keys; who claims
// the first place of a page takes the next free one, which is in the hole first and then the
// array's first page, whose keys have long been read. Who meets a page begun by another block waits
// until that one says where it is.
// order: warps carry pages. A warp puts its page in the next slot of its bin and carries on with
// the page that was there, until it meets an empty slot. A bin's slots fill from below, and its
// pages not yet carried are taken from above: both ends in one 64-bit word.
// mend: a bin rarely begins where a page does. Keys of its last page that reach into the next bin,
// and those that filled no page, fill the gaps at its two ends.
//
// Nobody waits for a block that is not running: places are claimed by tiles that are read only, so
// with N tiles read fewer than N tiles + one page a bin are taken. If the hole has room for these
// and a tile, the next free page is of a tile that has begun; and a tile is read without waiting.
// Source: in-place samplesort, IPS4o (Axtmann, Witt, Ferizovic, Sanders 2017), for order and mend.
#pragma once

#include "gpu/radix/low_memory/count.cuh"
#include "gpu/radix/low_memory/fill.cuh"
#include "gpu/radix/low_memory/mend.cuh"
#include "gpu/radix/low_memory/order.cuh"
