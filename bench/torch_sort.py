"""A sort over ranks as a PyTorch user writes it, with torch.distributed, into sortlab's CSV:

    torchrun --nproc-per-node 4 bench/torch_sort.py ranks.csv --type i32 --n 16777216
    torchrun --nproc-per-node 2 bench/torch_sort.py ranks.csv --type i32 --n 1073741824 --device cuda

torch.sort on each rank, regular samples to all ranks, all_to_all_single, torch.sort again. Keys lie in host memory, with
gloo between the ranks; or, with --device cuda, on a GPU per rank, with NCCL. torch.sort takes i32, i64, f32 and f64. Needs
`pip install torch numpy`.
"""

import os
import sys

try:
    import torch
    import torch.distributed as dist
except ImportError as error:
    sys.exit(f"torch_sort: {error}: pip install torch numpy")

from rank_rows import HOST, Place, Ranks, measure, options

SAMPLES = 8  # of each rank for each splitter


def told_by_all(own):
    """What each rank gave, on all ranks."""
    all_of_them = [None] * dist.get_world_size()
    dist.all_gather_object(all_of_them, own)
    return all_of_them


def samples_of(keys, wanted):
    """So many of the sorted keys at even distances, some of them more than once; a rank without keys gives the largest
    value of the type."""
    if len(keys) == 0:
        limits = torch.finfo(keys.dtype) if keys.dtype.is_floating_point else torch.iinfo(keys.dtype)
        return torch.full((wanted,), limits.max, dtype=keys.dtype, device=keys.device)
    return keys[torch.arange(wanted, device=keys.device) * len(keys) // wanted]


def sample_sort(keys):
    """This rank's part of the sorted keys of all ranks."""
    count = dist.get_world_size()
    keys = torch.sort(keys).values
    own = samples_of(keys, SAMPLES * count)
    gathered = [torch.empty_like(own) for _ in range(count)]
    dist.all_gather(gathered, own)
    samples = torch.sort(torch.cat(gathered)).values
    splitters = samples[torch.arange(1, count, device=keys.device) * len(samples) // count]
    cuts = torch.searchsorted(keys, splitters).tolist()
    sent = [end - begin for begin, end in zip([0, *cuts], [*cuts, len(keys)])]
    counts = torch.tensor(sent, device=keys.device)
    received_counts = torch.empty_like(counts)
    dist.all_to_all_single(received_counts, counts)
    received = received_counts.tolist()
    part = torch.empty(sum(received), dtype=keys.dtype, device=keys.device)
    dist.all_to_all_single(part, keys, received, sent)
    return torch.sort(part).values


def host():
    torch.set_num_threads(1)
    return Place(HOST.device, HOST.threads, lambda own: torch.from_numpy(own.copy()), lambda part: part.numpy(), HOST.wait)


def gpu(number):
    torch.cuda.set_device(number)
    return Place(torch.cuda.get_device_name(), 0, lambda own: torch.from_numpy(own).cuda(), lambda part: part.cpu().numpy(),
                 torch.cuda.synchronize)


def fault_of(given, ranks_here):
    """Why these keys can't be sorted there, or ""."""
    if given.type.startswith("u"):
        return f"--type {given.type}: torch.sort takes i32, i64, f32 and f64"
    if given.device == "cpu":
        return ""
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if gpus == 0:
        return "--device cuda: PyTorch sees no GPU"
    return "" if ranks_here <= gpus else f"--device cuda: {ranks_here} ranks on a host with {gpus}: NCCL wants a GPU for each"


def main():
    given = options("Measure a sample sort of torch.distributed, in sortlab's CSV.", lambda parser: parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where the keys are: in host memory, or on a GPU per rank"))
    if "RANK" not in os.environ:
        os.environ |= {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
    rank, here = int(os.environ["RANK"]), int(os.environ.get("LOCAL_WORLD_SIZE", os.environ["WORLD_SIZE"]))
    if fault := fault_of(given, here):
        if rank == 0:
            print(f"torch_sort: {fault}", file=sys.stderr)
        return 2
    on_gpu = given.device == "cuda"
    place = gpu(int(os.environ.get("LOCAL_RANK", rank))) if on_gpu else host()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    try:
        ranks = Ranks(dist.get_rank(), dist.get_world_size(), dist.barrier, told_by_all)
        variant = "gpu/baselines/torch_sample" if on_gpu else "cpu/baselines/torch_sample"
        return measure(ranks, given, variant, f"PyTorch {torch.__version__}", sample_sort, place)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main())
