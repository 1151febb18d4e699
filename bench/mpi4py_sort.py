"""Sample sort as a Python user writes it, with mpi4py and NumPy, into sortlab's CSV:

    mpirun -n 4 python3 bench/mpi4py_sort.py ranks.csv --n 16777216

numpy.sort on each rank, regular samples to all ranks, Alltoallv, numpy.sort again. Needs `pip install mpi4py numpy`
and an MPI.
"""

import sys

try:
    import mpi4py
    import numpy as np
    from mpi4py import MPI
except ImportError as error:
    sys.exit(f"mpi4py_sort: {error}: pip install mpi4py numpy")

from rank_rows import Ranks, measure, options

SAMPLES = 8  # of each rank for each splitter


def sample_sort(world, keys):
    """This rank's part of the sorted keys of all ranks."""
    count = world.Get_size()
    keys.sort()
    wanted = min(SAMPLES * count, len(keys))
    own = keys[np.arange(wanted) * len(keys) // max(wanted, 1)]
    samples = np.sort(np.concatenate(world.allgather(own)))
    splitters = samples[np.arange(1, count) * len(samples) // count]
    cuts = np.concatenate(([0], np.searchsorted(keys, splitters), [len(keys)]))
    sent = np.diff(cuts)
    received = np.array(world.alltoall(sent.tolist()))
    part = np.empty(received.sum(), keys.dtype)
    kind = MPI._typedict[keys.dtype.char]
    world.Alltoallv([keys, (sent, cuts[:-1]), kind], [part, (received, np.cumsum(received) - received), kind])
    part.sort()
    return part


def main():
    given = options("Measure a sample sort of mpi4py and NumPy, in sortlab's CSV.")
    world = MPI.COMM_WORLD
    ranks = Ranks(world.Get_rank(), world.Get_size(), world.Barrier, world.allgather)
    version = f"mpi4py {mpi4py.__version__}, NumPy {np.__version__}"
    return measure(ranks, given, "cpu/baselines/mpi4py_sample", version, lambda keys: sample_sort(world, keys))


if __name__ == "__main__":
    sys.exit(main())
