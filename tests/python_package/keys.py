"""Random keys of all types, with ties, and what NumPy makes of them."""

import numpy as np

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", np.longlong, np.ulonglong, "f2", "f4", "f8"]
rng = np.random.default_rng(17)


def floats_with_ties(dtype, n):
    """Numbers, zeros of both signs, infinities, and distinguishable NaNs of both signs."""
    width = np.dtype(dtype).itemsize
    nan = {2: 0x7e00, 4: 0x7fc00000, 8: 0x7ff8 << 48}[width]
    special = np.array([0.0, -0.0, np.inf, -np.inf, 1.5, -1.5], dtype)
    a = np.where(rng.random(n) < 0.5, rng.standard_normal(n).astype(dtype), rng.choice(special, n))
    bits = a.astype(dtype).view(f"u{width}")
    nans = (rng.integers(0, 100, n) + nan + (rng.integers(0, 2, n) << (width * 8 - 1)).astype(f"u{width}")) \
        .astype(f"u{width}")
    return np.where(rng.random(n) < 0.1, nans, bits).view(dtype)


def keys_of(dtype, n):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return floats_with_ties(dtype, n)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, n, dtype, endpoint=True)


def stable_order(a, descending=False):
    """Equal keys, NaNs among them, keep their order; NaNs come last."""
    if not descending:
        return np.argsort(a, axis=-1, kind="stable")
    return np.argsort(-a if a.dtype.kind == "f" else ~a, axis=-1, kind="stable")


def is_top(a, k, axis, largest, is_sorted, values, indices):
    """Whether these are the best k along an axis, with their places: NaNs are the largest, and equal keys may be any."""
    order = np.argsort(a, axis=axis, kind="stable")
    best = np.take_along_axis(a, np.flip(order, axis) if largest else order, axis).take(range(k), axis)
    found = values if is_sorted else np.sort(values, axis, kind="stable")  # NumPy 2.4.6 sorts float16 wrong else
    if largest and not is_sorted:
        found = np.flip(found, axis)
    distinct = np.sort(indices, axis)
    return (values.dtype == a.dtype and indices.dtype == np.int64 and np.array_equal(found, best, equal_nan=a.dtype.kind == "f")
            and np.take_along_axis(a, indices, axis).tobytes() == values.tobytes()
            and (np.diff(distinct, axis=axis) > 0).all())


def counts_to(best, p):
    """Of each row of weights, how many sum to p, or all of them."""
    sums = np.cumsum(np.where(best > 0, best, 0).astype("f8"), axis=-1)
    return np.minimum((sums < p).sum(-1) + (p > 0), best.shape[-1]).astype("i4")
