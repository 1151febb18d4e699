#!/usr/bin/env python3
"""The rooms of the house, what each may use, and a picture of them made from the includes.

    plots/rooms.py            prints each room's files and lines, and the includes from room to room
    plots/rooms.py --mermaid  prints the picture that README.md shows
"""

import collections
import pathlib
import re
import sys

# A room, and the rooms that its files may include. `basics` are utils.hpp and timers.hpp.
USES = {
    "basics": set(),
    "contract": {"basics"},
    "choose": {"contract", "basics"},
    "harness": {"choose", "CUDA check", "contract", "basics", "plugin API"},
    "tool": {"harness", "choose", "contract", "basics", "plugin API"},
    "CUDA check": {"contract"},
    "cpu": {"contract", "basics"},
    "gpu": {"CUDA check", "contract", "basics"},
    "cpu/auto": {"cpu", "choose", "contract", "basics"},
    "gpu/auto": {"gpu", "choose", "CUDA check", "contract", "basics"},
    "plugin API": set(),
    "main": {"tool"},
    "bench": {"harness", "contract", "basics"},
}
SUFFIXES = {".c", ".cpp", ".hpp", ".cu", ".cuh", ".h"}


def room_of(path):
    """The room of a file, by its path below the root; None for a file of no room."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "include":
        return "plugin API"
    if parts[0] == "bench":
        return "bench"
    if path == "common/main_template.hpp" or path.startswith("common/tool/drivers/"):
        return "main"
    if path == "common/cuda_check.hpp":
        return "CUDA check"
    if parts[0] == "common":
        return parts[1] if len(parts) > 2 else "basics"
    if parts[0] in ("cpu", "gpu"):
        return f"{parts[0]}/auto" if parts[1] == "auto" else parts[0]
    return None


def source_files(root):
    files = []
    for top in ("common", "cpu", "gpu", "include", "bench"):
        files += (p.relative_to(root).as_posix() for p in (root / top).rglob("*") if p.suffix in SUFFIXES)
    return sorted(files)


def includes(root):
    """(file, included file, its room, the room it uses): None for an included file that is not there."""
    for file in source_files(root):
        for target in re.findall(r'^ *# *include "([^"]+)"', (root / file).read_text(), re.MULTILINE):
            if target == "git_revision.hpp":  # the build makes it
                continue
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


def sizes(root):
    files, lines = collections.Counter(), collections.Counter()
    for file in source_files(root):
        files[room_of(file)] += 1
        lines[room_of(file)] += len((root / file).read_text().splitlines())
    return {room: (files[room], lines[room]) for room in USES if files[room]}


def mermaid(root):
    """Boxes with their lines, arrows with the number of includes."""
    name = {room: re.sub(r"\W", "_", room) for room in USES}
    text = ["flowchart TD"]
    for room, (files, lines) in sizes(root).items():
        text.append(f'  {name[room]}["{room}<br/>{files} files, {lines / 1000:.1f}k lines"]')
    for (source, used), n in sorted(arrows(root).items()):
        text.append(f"  {name[source]} -- {n} --> {name[used]}")
    return "\n".join(text)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    if sys.argv[1:] == ["--mermaid"]:
        print(mermaid(root))
        return
    for room, (files, lines) in sizes(root).items():
        print(f"{room:12} {files:4} files {lines:6} lines")
    for (source, used), n in sorted(arrows(root).items()):
        print(f"{source:12} -> {used:12} {n:4}")


if __name__ == "__main__":
    main()
