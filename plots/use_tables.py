"""The tables of the pages that tell users of the libraries and of host data what to expect."""

from statistics import median

import packed
from medians import ROOT, Medians, giga, micro, power, short, times


def rows_of(name, machine="h200"):
    return packed.rows_of(ROOT / "results" / machine / name)


def host_data():
    """Gkeys/s from host memory to host memory: a row per sort and kind of memory, a column per input."""
    medians, inputs = {}, []
    for row in rows_of("host.summary.csv"):
        if row["status"] != "ok":
            continue
        given = (row["key_type"], int(row["n"]))
        cap = f", cap {int(row['memory_limit_bytes']) >> 30} GiB" if row["memory_limit_bytes"] else ""
        memory = "" if row["variant"].startswith("cpu/") else f"{row['host_mem']}{cap}"
        medians[row["variant"], memory, given] = float(row["median_ns"])
        if given not in inputs:
            inputs.append(given)
    inputs.sort()
    sorts = sorted({key[:2] for key in medians}, key=lambda sort: min(ns / key[2][1] for key, ns in medians.items() if key[:2] == sort))
    rows = [["sort", "host memory", *(f"{keys}, {power(n)}" for keys, n in inputs)]]
    for variant, memory in sorts:
        cells = ((medians.get((variant, memory, given)), given[1]) for given in inputs)
        rows.append([f"`{variant}`", memory, *(giga(ns, n) for ns, n in cells)])
    return rows


def users_types():
    """Microseconds of the library and its gain over the fastest rival: a row per type, a column per n."""
    times_us, counts = {}, []
    for row in rows_of("users_types.csv"):
        times_us[row["case"], int(row["n"]), row["method"]] = float(row["median_us"])
        if int(row["n"]) not in counts:
            counts.append(int(row["n"]))
    rows = [["items", *(f"{n:,}" for n in counts)]]
    for case in dict.fromkeys(case for case, _, _ in times_us):
        cells = []
        for n in counts:
            own = times_us[case, n, "sortlab"]
            rivals = [us for (c, count, method), us in times_us.items() if (c, count) == (case, n) and not method.startswith("sortlab")]
            cells.append(f"{micro(own * 1e3)} ({times(min(rivals), own)})")
        rows.append([case, *cells])
    return rows


def call_and_auto():
    """Nanoseconds of the library's call, and how many more than those of cpu/auto: a row per n, a column per input."""
    measured, inputs = Medians("zen5/library"), ("u32", "u64", "f32", "u32+u32")
    rows = [["n", *(keys.replace("+", " + ") for keys in inputs)]]
    for n in sorted({where[2] for where in measured.rows}):
        cells = []
        for keys in inputs:
            auto, call = (measured.ns(variant, keys, n, threads=1) for variant in ("cpu/auto/auto", "cpu/library/sort"))
            more = f"{call - auto:+.0f} ns" if n <= 4096 else f"{100 * (call / auto - 1):+.1f} %"
            cells.append(f"{micro(call)} ({more})")
        rows.append([short(n), *cells])
    return rows


def python_gains(measured):
    """How many times as fast as the other library: a row per call and type of keys, a column per n."""
    gains, counts = {}, []
    for row in measured:
        if row["sort"].startswith("sortlab.") and int(row["n"]) > 1:
            gains[row["call"], row["key_type"], int(row["n"])] = float(row["over_first"])
            if int(row["n"]) not in counts:
                counts.append(int(row["n"]))
    counts.sort()
    rows = [["call", "keys", *(f"{n:,}" for n in counts)]]
    for call, keys in dict.fromkeys((call, keys) for call, keys, _ in gains):
        cells = (gains.get((call, keys, n)) for n in counts)
        rows.append([call, keys, *(f"{gain:.2f}x" if gain else "" for gain in cells)])
    return rows


def python_on_gpu(machine="h200"):
    return python_gains(row for row in rows_of("python_sort.csv", machine) if row["gpu"])


def python_on_h100():
    return python_on_gpu("h100")


def python_on_one_cpu():
    return python_gains(row for row in rows_of("python_sort.csv", "zen5") if not row["gpu"] and row["threads"] == "1")


def python_on_intel():
    """The same on an Intel Xeon: on one thread, and on 16."""
    rows = [row for row in rows_of("python_sort.csv", "xeon16") if row["sort"].startswith("sortlab.")]
    return python_gains(row | {"call": f"{row['call']}, {row['threads']} thread{'s' if row['threads'] != '1' else ''}"}
                        for threads in ("1", "16") for row in rows if row["threads"] == threads)


def python_rows():
    """How many times as fast as the fastest other library, median and worst: a row per length of rows, a column per call."""
    calls = {"indices": "sort with indices", "keys": "sort", "argsort": "argsort"}
    lengths = {"1 to 32": 32, "33 to 512": 512, "513 to 16,384": 16_384, "more": float("inf")}
    measured = [(row["call"], int(row["shape"].split("x")[1]), float(row["gain"])) for row in rows_of("python_rows.csv.xz")]
    rows, least = [["keys of a row", *(f"{name}: median, worst" for name in calls.values())]], 0
    for label, most in lengths.items():
        gains = [[gain for of, n, gain in measured if of == call and least < n <= most] for call in calls]
        rows.append([label, *(f"{median(of_call):.2f}x, {min(of_call):.2f}x" for of_call in gains)])
        least = most
    return rows


def questions():
    """Questions to `sortlab recommend` on 16 idle CPUs: the answer, and how much longer it took in a full run than the
    fastest there. A question that was asked twice has two rows."""
    rows = [["question", "it took", "verdict", "answer", "its time, us", "fastest in the full run", "answer over fastest"]]
    for row in rows_of("recommend.csv", "xeon16"):
        share = row["answer_over_fastest"]
        rows.append([f"`{row['question']}`", f"{float(row['seconds']):.0f} s", row["certainty"], row["answer"].replace(" threads", ""),
                     micro(float(row["answer_us"]) * 1e3), row["fastest_in_full"].replace(" threads", ""),
                     f"{float(share):.2f}" if share else ""])
    return rows


def compile_times():
    """CPU seconds that a program with one comparison takes to compile: in the first revision measured, and in the last."""
    rows, programs = [["program", "before", "now"]], {}
    for row in rows_of("cuda_compile_time.csv", "zen5"):
        programs.setdefault(row["program"], []).append(f"{float(row['median_cpu_s']):.2f}")
    return rows + [[program, seconds[0], seconds[-1]] for program, seconds in programs.items()]


TABLES = {"host-data": host_data, "library-call": call_and_auto, "users-types": users_types, "python-gpu": python_on_gpu,
          "python-gpu-h100": python_on_h100, "python-rows": python_rows, "python-cpu": python_on_one_cpu, "python-intel": python_on_intel, "recommend-sure": questions,
          "compile-time": compile_times}
