"""A sort over ranks as a PyTorch user writes it, with torch.distributed over gloo, into sortlab's CSV:

    torchrun --nproc-per-node 4 bench/torch_sort.py ranks.csv --type i32 --n 16777216

torch.sort on each rank, regular samples to all ranks, an exchange, torch.sort again. gloo has no all_to_all, so each
pair of ranks sends and receives. torch.sort takes i32, i64, f32 and f64. Needs `pip install torch numpy`.
"""

import os
import sys

try:
    import torch
    import torch.distributed as dist
except ImportError as error:
    sys.exit(f"torch_sort: {error}: pip install torch numpy")

from rank_rows import Ranks, measure, options

SAMPLES = 8  # of each rank for each splitter


def told_by_all(own):
    """What each rank gave, on all ranks."""
    all_of_them = [None] * dist.get_world_size()
    dist.all_gather_object(all_of_them, own)
    return all_of_them


def exchange(pieces, counts):
    """Sends pieces[p] to each rank p. Returns what came from all ranks, which is counts[p] keys from rank p."""
    rank = dist.get_rank()
    received = [piece if p == rank else torch.empty(counts[p], dtype=piece.dtype) for p, piece in enumerate(pieces)]
    calls = [dist.P2POp(call, tensors[p], p) for call, tensors in ((dist.isend, pieces), (dist.irecv, received))
             for p in range(len(pieces)) if p != rank and len(tensors[p])]
    for request in dist.batch_isend_irecv(calls) if calls else []:
        request.wait()
    return torch.cat(received)


def sample_sort(keys):
    """This rank's part of the sorted keys of all ranks."""
    rank, count = dist.get_rank(), dist.get_world_size()
    keys = torch.sort(keys).values
    wanted = min(SAMPLES * count, len(keys))
    own = keys[torch.arange(wanted) * len(keys) // max(wanted, 1)]
    samples = torch.sort(torch.cat(told_by_all(own))).values
    splitters = samples[torch.arange(1, count) * len(samples) // count]
    cuts = [0, *torch.searchsorted(keys, splitters).tolist(), len(keys)]
    pieces = [keys[begin:end].contiguous() for begin, end in zip(cuts, cuts[1:])]
    counts = [sent[rank] for sent in told_by_all([len(piece) for piece in pieces])]
    return torch.sort(exchange(pieces, counts)).values


def main():
    given = options("Measure a sample sort of torch.distributed, in sortlab's CSV.")
    if given.type.startswith("u"):
        print(f"torch_sort: --type {given.type}: torch.sort takes i32, i64, f32 and f64", file=sys.stderr)
        return 2
    if "RANK" not in os.environ:
        os.environ |= {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    try:
        ranks = Ranks(dist.get_rank(), dist.get_world_size(), dist.barrier, told_by_all)
        return measure(ranks, given, "cpu/baselines/torch_sample", f"PyTorch {torch.__version__}",
                       lambda keys: sample_sort(torch.from_numpy(keys)).numpy())
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main())
