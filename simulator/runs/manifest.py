"""What a run's folder says about itself: run.json, the records of finished chunks, and whether the files are what they say.

Nothing in a folder is taken on trust: whatever is read here has the form that a run writes and belongs to the run that is asked for, or it is refused.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from terrors.simulator.runs.job import PART_TABLES, key_of_identity, part_name, record_name
from terrors.simulator.runs.storage import Folder, sha256
from terrors.simulator.terms.errors import WordedError

FORMAT = 2
READABLE = (1, FORMAT)  # 1: the table of decisions was named events
STATUSES = ("running", "interrupted", "done")
TALLIES = ("games", "turns", "decisions", "draws", "turn_limit", "action_limit", "decisions_cut")
OLD_TALLIES = {"decisions_cut": "events_cut"}
ChunkRecord = dict[str, Any]  # of a chunk that is done: its run, its games, files with checksums, tallies, and sums of its pairs


class RunError(WordedError):
    """A run that cannot be made, opened or trusted, in one sentence."""


def read_info(folder: Folder) -> dict[str, Any] | None:
    """What run.json says; None if there is none."""
    data = folder.read("run.json")
    if data is None:
        return None
    try:
        info = json.loads(data)
        if info["format"] not in READABLE:
            raise RunError(f"{folder.address}: this run was written by another version (format {info['format']}, not {FORMAT}); simulate it again.")
        if info["format"] != FORMAT and info["status"] != "done":
            raise RunError(f"{folder.address}: this run was begun by an earlier version, which can finish it; or start again with --overwrite.")
        if not _is_info(info):
            raise ValueError
        return info
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, RunError):
            raise
        raise RunError(f"{folder.address}/run.json: this is not what a run writes; start again with --overwrite.") from None


def write_info(folder: Folder, info: dict[str, Any]) -> None:
    """Replace run.json."""
    folder.write("run.json", json.dumps(info, ensure_ascii=False, indent=1).encode())


def _is_info(info: dict[str, Any]) -> bool:
    """Whether it is what a run writes, as far as that can be told by its form."""
    identity, cells = info["identity"], info.get("pairs", [])
    return (
        info["status"] in STATUSES
        and all(isinstance(item, dict) for item in (info["plan"], identity["plan"], identity["strategies"]))
        and all(isinstance(identity[name], str) for name in ("cards", "engine"))
        and ((told := identity["plan"][decisions_table(identity["plan"])]) == "all" or _is_count(told))
        and isinstance(info["seconds"], int | float)
        and _is_count(info["chunk"])
        and info["chunk"] >= 2
        and _are_tallies(info["tallies"])
        and all(len(cell) == 3 and all(map(_is_count, cell)) for cell in cells)
        and (info["status"] != "done" or _is_whole(info))
    )


def _is_whole(info: dict[str, Any]) -> bool:
    """Whether a run that is done has all its games, each once, in parts that follow one another."""
    ends = [0, *(record["stop"] for record in info["parts"])]
    return (
        all(_is_record(record, info["identity"]["plan"]) for record in info["parts"])
        and [record["start"] for record in info["parts"]] == ends[:-1]
        and ends[-1] == info["tallies"]["games"] == 2 * sum(cell[0] for cell in info["pairs"]) > 0
        and _is_file(info["cards_parquet"])
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_tallies(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_count(value.get(name, value.get(OLD_TALLIES.get(name, "")))) for name in TALLIES)


def _is_file(value: Any) -> bool:
    return isinstance(value, dict) and _is_count(value.get("rows")) and _is_count(value.get("bytes")) and isinstance(value.get("sha256"), str)


def _tables(plan: dict[str, Any], start: int) -> set[str]:
    """The tables of a chunk that a run keeps when it is done."""
    decisions = decisions_table(plan)
    told = plan[decisions] == "all" or start < plan[decisions]
    return {"games", "purchases"} | ({"turns"} if plan["turns"] else set()) | ({decisions} if told else set())


def decisions_table(plan: dict[str, Any]) -> str:
    """What the table of decisions, and the entry of the plan that asks for it, are called in the run of that plan."""
    return "decisions" if "decisions" in plan else "events"


def _is_record(record: Any, plan: dict[str, Any]) -> bool:
    """Whether it says which games, and has a checksum for each of their files."""
    return (
        isinstance(record, dict)
        and _is_count(record.get("start"))
        and _is_count(record.get("stop"))
        and record["start"] < record["stop"]
        and isinstance(record.get("files"), dict)
        and set(record["files"]) - {"cards"} == _tables(plan, record["start"])
        and all(map(_is_file, record["files"].values()))
    )


def read_records(folder: Folder, identity: dict[str, Any]) -> list[ChunkRecord]:
    """The records of finished chunks of a run; half a record, or another run's, is none: that chunk is played again."""
    found, run = [], key_of_identity(identity)
    for name in folder.names("chunks"):
        try:
            record = json.loads(folder.read(name) or b"")
        except (ValueError, RecursionError):
            continue
        if not _is_record(record, identity["plan"]) or record.get("run") != run or name != record_name(record["start"]) or "cards" not in record["files"]:
            continue
        if _are_tallies(record.get("tallies")) and _are_sums(record.get("pairs"), record["stop"] - record["start"]):
            found.append(record)
    return found


def _are_sums(pairs: Any, games: int) -> bool:
    """Whether these are the sums of a chunk's pairs, by cell."""
    return (
        isinstance(pairs, list)
        and all(isinstance(cell, list) and len(cell) == 3 and all(map(_is_count, cell)) for cell in pairs)
        and 2 * sum(cell[0] for cell in pairs) == games
    )


def damaged(folder: Folder, name: str, file: dict[str, Any]) -> bool:
    """Whether a file is not what its record says."""
    data = folder.read(name)
    return data is None or len(data) != file["bytes"] or sha256(data) != file["sha256"]


def damaged_parts(folder: Folder, record: ChunkRecord) -> list[str]:
    """The parts of a chunk that are not what its record says."""
    return [name for table, file in record["files"].items() if damaged(folder, name := part_name(table, record["start"]), file)]


def all_parts(info: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every file that run.json vouches for, with its checksum."""
    for record in info["parts"]:
        for table, file in record["files"].items():
            yield part_name(table, record["start"]), file
    if "cards_parquet" in info:
        yield "cards.parquet", info["cards_parquet"]


def strays(folder: Folder, info: dict[str, Any]) -> list[str]:
    """Files among the parts of a finished run that are none of them: whoever reads `games/*.parquet` would take them for games."""
    known = {name for name, _ in all_parts(info)}
    return [name for table in PART_TABLES if table != "cards" for name in folder.names(table) if name not in known]


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """In what two runs differ, in words."""
    found = []
    for name, value in now["plan"].items():
        if (was := before["plan"].get(name)) != value:
            found.append(f"{name} was {_short(was)} and is {_short(value)}")
    if before["cards"] != now["cards"]:
        found.append("the card file has changed")
    for name in now["strategies"]:
        if name in before["strategies"] and before["strategies"][name] != now["strategies"][name]:
            found.append(f"strategy {name} has changed")
    if before["engine"] != now["engine"]:
        found.append("the rules engine has changed")
    return found


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value or "nothing"
    return text if len(text) <= 60 else text[:57] + "…"


def versions() -> dict[str, str]:
    """Of what was used."""
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in ("terrors", "numba", "numpy", "polars", "joblib")}
