"""Branches of the rules: which way every `if`, `while` and `for` was taken by the scenarios and some short games, with the rules as plain Python.

    python -m tests.trust.branches                   a table by file, and every branch that was never taken
    python -m tests.trust.branches --write FILE      and the same as Markdown into a page, between its marks

Lines are followed one by one (`sys.settrace`): a branch is taken if after a line of the condition the first line of its body comes, or another one.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.trust.mutants import ROOMS, ROOT, tree_of

ROOM = ROOMS["rules"]
FILES = [file for file in ROOM.files if "/rules/" in file or file.endswith(("agenda.py", "piles.py", "rng.py"))]
Steps = dict[str, set[tuple[int, int]]]  # by file: from which line to which; 0 is the end of the function


class Watch:
    """A pytest plugin that writes down every step from line to line in the rules."""

    def __init__(self) -> None:
        self.files = {str(ROOT / file): file for file in FILES}
        self.steps: Steps = defaultdict(set)
        self.at: dict[int, int] = {}  # by frame, the line it was at

    def pytest_runtest_setup(self) -> None:
        threading.settrace(self.call)  # runs play in threads
        sys.settrace(self.call)

    def pytest_sessionfinish(self) -> None:
        sys.settrace(None)

    def call(self, frame: Any, event: str, argument: Any) -> Any:
        """Follow a function of the rules."""
        if frame.f_code.co_filename not in self.files:
            return None
        self.at[id(frame)] = frame.f_lineno
        return self.line

    def line(self, frame: Any, event: str, argument: Any) -> Any:
        """Write down one step."""
        here = 0 if event == "return" else frame.f_lineno
        if event in ("line", "return"):
            self.steps[self.files[frame.f_code.co_filename]].add((self.at.get(id(frame), 0), here))
            self.at[id(frame)] = here
        return self.line


def branches(file: str, steps: set[tuple[int, int]]) -> tuple[int, list[str]]:
    """Return how many branches a file has, and those that were never taken, in words."""
    source, missed, count = (ROOT / file).read_text(encoding="utf-8").splitlines(), [], 0
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.If | ast.While | ast.For):
            condition = node.iter if isinstance(node, ast.For) else node.test
            lines = range(node.lineno, (condition.end_lineno or node.lineno) + 1)
            first = node.body[0].lineno
            after = {to for come, to in steps if come in lines and to not in lines[1:]}
            inside = first in after or (isinstance(node, ast.For | ast.While) and first == node.lineno)
            past = bool(after - {first})
            words = source[node.lineno - 1].strip()
            missed += [f"line {node.lineno}, never {what}: `{words}`" for what, seen in (("into it", inside), ("past it", past)) if not seen]
            count += 2
    return count, missed


def report(steps: Steps) -> list[str]:
    """Return the table by file and what was missed, as Markdown."""
    found = {file: branches(file, steps[file]) for file in FILES}
    lines = ["| file | branches | taken |", "|---|---|---|"]
    lines += [f"| `{file}` | {count} | {count - len(missed)} |" for file, (count, missed) in found.items()]
    total, never = sum(count for count, _ in found.values()), sum(len(missed) for _, missed in found.values())
    if not total or never == total:
        sys.exit("branches: nothing was followed.")
    lines += [f"| **all** | {total} | {total - never} ({100 * (1 - never / total):.1f} %) |", "", "Never taken:"]
    return lines + [f"- `{file}` {words}" for file, (_, missed) in found.items() for words in missed]


def main() -> None:
    """Follow the tests, and tell."""
    parser = argparse.ArgumentParser(prog="python -m tests.trust.branches", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    asked = parser.parse_args()
    if not os.environ.get("NUMBA_DISABLE_JIT"):
        os.execve(sys.executable, [sys.executable, "-m", "tests.trust.branches", *sys.argv[1:]], os.environ | {"NUMBA_DISABLE_JIT": "1"})
    watch = Watch()
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", *(str(ROOT / test) for test in ROOM.tests)], plugins=[watch])
    lines = report(watch.steps)
    print("\n".join(lines))
    if asked.write is not None:
        before, mark, rest = asked.write.read_text(encoding="utf-8").partition("<!-- branches -->\n")
        assert mark, f"{asked.write}: there is no place for the branches."
        after = rest.partition("<!-- end of branches -->")[2]
        asked.write.write_text(f"{before}{mark}" + "\n".join(lines) + f"\n<!-- end of branches -->{after}", encoding="utf-8")
    sys.exit(int(code))


if __name__ == "__main__":
    main()
