"""Sorts with the Python package: `pip install .` in a checkout of sortlab, then `python use_sortlab.py`."""

import numpy as np
import sortlab

ages = np.array([41, 7, 19], np.uint8)
names = np.array(["Ada", "Bo", "Cy"])
print(sortlab.sort(ages))
print(sortlab.argsort(ages))
print(*sortlab.sort_by_key(ages, names))
print(sortlab.segmented_sort(np.array([3, 1, 2, 9, 8]), [0, 3, 3, 5]))
print(*sortlab.topk(ages, 2))
