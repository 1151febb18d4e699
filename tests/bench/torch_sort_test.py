"""bench/torch_sort.py over gloo, where PyTorch is: the same sort as over NCCL, but for the memory and the backend."""

import csv
import os
import socket
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "bench", "torch_sort.py")
try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


class TorchSort(unittest.TestCase):
    def run_on(self, ranks, *arguments):
        """The exit codes and errors of all ranks."""
        common = {**os.environ, "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        started = [subprocess.Popen([sys.executable, SCRIPT, *arguments], env=common | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for rank in range(ranks)]
        errors = [process.communicate(timeout=120)[1] for process in started]
        return [process.returncode for process in started], errors

    def test_any_share_is_sorted(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ranks.csv")
            sizes = ["1", "2", "5", "40", "10007"]
            for kind in ("i32", "f64"):
                codes, errors = self.run_on(3, path, "--type", kind, "--samples", "1", "--n", *sizes)
                self.assertEqual(codes, [0, 0, 0], errors)
            with open(path, newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        self.assertEqual([(row["key_type"], row["n"], row["status"], row["ranks"]) for row in rows],
                         [(kind, n, "ok", "3") for kind in ("i32", "f64") for n in sizes])
        self.assertEqual({(row["sorted_ok"], row["permutation_ok"], row["kernel_ns"]) for row in rows}, {("1", "1", "")})
        self.assertLess(float(rows[-1]["imbalance"]), 1.3)

    def test_bad_input_is_one_line(self):
        faults = [("--type", "u32", "torch.sort takes")]
        if not torch.cuda.is_available():
            faults.append(("--device", "cuda", "PyTorch sees no GPU"))
        for *arguments, named in faults:
            codes, errors = self.run_on(2, "nowhere.csv", *(["--type", "i32"] if "--type" not in arguments else []), *arguments)
            self.assertEqual(codes, [2, 2])
            self.assertEqual("".join(errors).count("\n"), 1, errors)
            self.assertIn(named, errors[0])


if __name__ == "__main__":
    unittest.main()
