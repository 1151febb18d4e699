#!/usr/bin/env python3
"""The rooms of the sources, what each may use, and a picture of them made from the includes.

    plots/rooms.py           prints each room's files and lines, the includes from room to room, and how much a reader opens
    plots/rooms.py --write   puts the picture of today into docs/architecture.md
"""

import collections
import pathlib
import re
import sys

# A room, and the rooms that its files may include. `basics` are utils.hpp, timers.hpp and notes.hpp.
USES = {
    "basics": set(),
    "contract": {"basics", "library API"},
    "threads": {"contract", "basics"},
    "choose": {"contract", "basics"},
    "harness": {"choose", "threads", "CUDA check", "contract", "basics", "plugin API"},
    "tool": {"harness", "choose", "contract", "basics", "plugin API"},
    "CUDA check": {"contract"},
    "cpu": {"cpu/auto", "threads", "contract", "basics"},
    "gpu": {"threads", "CUDA check", "contract", "basics"},
    "cpu/auto": {"threads", "choose", "contract", "basics"},
    "gpu/multi": {"gpu/parts", "gpu/auto", "gpu", "CUDA check", "contract", "basics"},
    "gpu/ranks": {"gpu/parts", "gpu/auto", "gpu", "CUDA check", "contract", "basics"},
    "gpu/parts": {"gpu/auto", "gpu", "CUDA check", "contract", "basics"},
    "gpu/auto": {"gpu", "choose", "CUDA check", "contract", "basics"},
    "gpu/host": {"gpu/auto", "gpu", "threads", "contract", "basics"},
    "plugin API": set(),
    "bench": {"harness", "CUDA library API", "library API", "CUDA check", "contract", "basics"},
    "library API": set(),
    "cpu/library": {"library API", "contract", "basics"},
    "library": {"library API", "cpu/auto", "cpu", "choose", "threads", "contract", "basics"},
    "CUDA library API": {"library API", "gpu", "CUDA check", "contract", "basics"},
    "gpu/library": {"CUDA library API", "library API", "CUDA check", "contract", "basics"},
    "CUDA library": {"library", "choose", "CUDA library API", "library API", "gpu", "CUDA check", "contract", "basics"},
}
# The boxes of the picture: what each says, and its rooms.
BOXES = {
    "bench": ("the sorts under Google Benchmark", {"bench"}),
    "tool": ("the programs and their command line, a folder per command", {"tool"}),
    "harness": ("plan, inputs, rigs, measuring, verdicts, workers, CSV", {"harness"}),
    "users": ("cpu/library, gpu/library: sorts that call the library as users do", {"cpu/library", "gpu/library"}),
    "library": ("the sorts that are chosen, callable: C, C++, CUDA, Python", {"library", "CUDA library", "CUDA library API"}),
    "cpu": ("sorts on CPUs", {"cpu", "cpu/auto"}),
    "gpu": ("sorts on GPUs", {"gpu", "gpu/auto", "gpu/parts", "gpu/multi", "gpu/ranks", "gpu/host"}),
    "choose": ("which sort for n and the types", {"choose"}),
    "contract": ("what a sort is; threads, key types, instruction sets, errors", {"contract", "threads", "CUDA check"}),
    "headers": ("what is installed: the library's, and that of plug-ins", {"library API", "plugin API"}),
}
# Sorts whose files a reader opens, and what every reader knows after the first one.
SORTS = ("gpu/radix/msd_hybrid.cu", "gpu/radix/top_sweep.cu", "gpu/radix/small.cu", "gpu/merge/multiway.cu",
         "cpu/radix/simd.cpp", "cpu/radix/pairs.cpp", "cpu/quick/simd.cpp")
KNOWN = ("common/contract/", "include/", "library/include/")
FEW_LINES = 25
PAGE = "docs/architecture.md"
SUFFIXES = {".c", ".cpp", ".hpp", ".cu", ".cuh", ".h"}


def room_of(path):
    """The room of a file, by its path below the root; None for a file of no room."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "include":
        return "plugin API" if len(parts) == 2 else "library API"
    if parts[0] == "bench":
        return "bench"
    if parts[0] == "library":
        if parts[1] == "include":
            return "CUDA library API"
        return "CUDA library" if "cuda" in parts else "library"
    if path == "common/cuda_check.hpp":
        return "CUDA check"
    if parts[0] == "tool":
        return "tool"
    if parts[0] == "common":
        return parts[1] if len(parts) > 2 else "basics"
    if parts[0] in ("cpu", "gpu"):
        folder = f"{parts[0]}/{parts[1]}"
        return folder if folder in USES else parts[0]
    return None


def source_files(root, tops=("common", "cpu", "gpu", "include", "library", "bench", "tool")):
    files = []
    for top in tops:
        files += (p.relative_to(root).as_posix() for p in (root / top).rglob("*") if p.suffix in SUFFIXES)
    return sorted(files)


def included_by(root, file):
    """The files of the sources that this one includes."""
    for opening, name in re.findall(r'^ *# *include (["<])([^">]+)[">]', (root / file).read_text(), re.MULTILINE):
        target = name
        if name.startswith("sortlab/"):
            target = next((f"{folder}/{name}" for folder in ("include", "library/include") if (root / folder / name).exists()),
                          f"include/{name}")
        if name == "git_revision.hpp" or opening == "<" and target == name:  # the build's, or the system's
            continue
        yield target


def includes(root):
    """(file, included file, its room, the room it uses): None for an included file that is not there."""
    for file in source_files(root):
        for target in included_by(root, file):
            yield file, target, room_of(file), room_of(target) if (root / target).exists() else None


def against_the_flow(root):
    """A line for each include of a room that the including room may not use, or of no file."""
    lines = []
    for file, target, source, used in includes(root):
        if used is None:
            lines.append(f"{file} includes {target}, which is not there")
        elif used != source and used not in USES[source]:
            lines.append(f"{file} includes {target}: {source} may not use {used}")
    return lines


def arrows(root):
    count = collections.Counter((source, used) for _, _, source, used in includes(root) if source != used)
    return {arrow: n for arrow, n in count.items() if arrow[1] != "basics"}


def folders_both_ways(root):
    """The pairs of top folders that include each other, with the includes of the direction that has fewer."""
    found = collections.defaultdict(list)
    for file, target, _, _ in includes(root):
        found[file.split("/")[0], target.split("/")[0]].append(f"{file} includes {target}")
    return {(above, below): lines for (above, below), lines in found.items()
            if above != below and (below, above) in found and len(lines) < len(found[below, above])}


def sizes(root):
    files, lines = collections.Counter(), collections.Counter()
    for file in source_files(root):
        files[room_of(file)] += 1
        lines[room_of(file)] += lines_of(root, file)
    return {room: (files[room], lines[room]) for room in USES if files[room]}


def lines_of(root, file):
    return len((root / file).read_text().splitlines())


def opened_for(root, sort):
    """The files that a reader of a sort opens: what its main file and its units of kernels include, directly or not."""
    units = sorted(p for p in (root / sort).with_suffix("").glob("*") if p.suffix in {".cpp", ".cu"})
    todo, opened = [sort] + [unit.relative_to(root).as_posix() for unit in units], set()
    while todo:
        file = todo.pop()
        is_known = file.startswith(KNOWN) or file.count("/") == 1 and file.startswith("common/")
        if file not in opened and not is_known and (root / file).is_file():
            opened.add(file)
            todo += included_by(root, file)
            # Kernels are pasted for each instruction set (cpu/primitives/simd/for_each_isa.inl.hpp).
            todo += re.findall(r'^ *# *define SORTLAB_KERNELS "([^"]+)"', (root / file).read_text(), re.MULTILINE)
    return opened


def with_one_includer(root):
    """The headers that one file of the sources and the tests includes."""
    count = collections.Counter(target for file in source_files(root) + source_files(root, ["tests"])
                                for target in set(included_by(root, file)))
    return [file for file in source_files(root) if count[file] == 1 and not file.endswith((".c", ".cpp", ".cu"))]


def small_files(root):
    return [file for file in source_files(root) if lines_of(root, file) < FEW_LINES]


def drawn_arrows(root):
    """The arrows between boxes, without those that a longer way implies."""
    box_of = {room: box for box, (_, rooms) in BOXES.items() for room in rooms}
    direct = {}
    for source, used in arrows(root):
        if box_of[source] != box_of[used]:
            direct.setdefault(box_of[source], set()).add(box_of[used])

    def reached(box):
        return {far for near in direct.get(box, ()) for far in {near} | reached(near)}

    return sorted((source, used) for source, uses in direct.items() for used in uses
                  if not any(used in reached(other) for other in uses))


def mermaid(root):
    """Each box with what it holds, above those that it uses."""
    text = ["flowchart TD"]
    text += [f'  {box}["<b>{box}</b><br/>{what}"]' for box, (what, _) in BOXES.items()]
    text += [f"  {source} --> {used}" for source, used in drawn_arrows(root)]
    return "\n".join(text)


def page_with_picture(root):
    """The text of docs/architecture.md with the picture of today."""
    text = (root / PAGE).read_text()
    return re.sub(r"(```mermaid\n).*?(\n```)", lambda found: found[1] + mermaid(root) + found[2], text, flags=re.DOTALL)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    if sys.argv[1:] == ["--write"]:
        (root / PAGE).write_text(page_with_picture(root))
        return
    for room, (files, lines) in sizes(root).items():
        print(f"{room:12} {files:4} files {lines:6} lines")
    for (source, used), n in sorted(arrows(root).items()):
        print(f"{source:12} -> {used:12} {n:4}")
    for sort in SORTS:
        opened = opened_for(root, sort)
        print(f"{sort:23} {len(opened):4} files {sum(lines_of(root, file) for file in opened):6} lines to open")
    print(f"{len(source_files(root))} files, {len(with_one_includer(root))} headers with one includer, "
          f"{len(small_files(root))} files of fewer than {FEW_LINES} lines")


if __name__ == "__main__":
    main()
