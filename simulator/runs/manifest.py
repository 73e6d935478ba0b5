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
from terrors.simulator.runs.storage import SEAL, Folder, seal_broken, sealed, sha256
from terrors.simulator.terms.errors import RunError
from terrors.simulator.terms.shape import NUMBER, count, misfit

FORMAT = 2
READABLE = (1, FORMAT)  # 1: the table of decisions was named events
STATUSES = ("running", "interrupted", "done")
TALLIES = ("games", "turns", "decisions", "draws", "turn_limit", "action_limit", "decisions_cut")
ChunkRecord = dict[str, Any]  # of a chunk that is done: its run, its games, files with checksums, tallies, and sums of its pairs


def _sums(value: Any) -> bool:
    """Whether these are the sums of a cell: pairs, points, squares."""
    return isinstance(value, list) and len(value) == 3 and all(map(count, value))


def _slots(value: Any) -> bool:
    """Whether these are the slots of a stage: lists of cells, each with its round in the cycle."""
    pairs = [slot for slots in value if isinstance(slots, list) for slot in slots] if isinstance(value, list) else [None]
    return bool(pairs) and all(isinstance(slot, list) and len(slot) == 2 and all(map(count, slot)) for slot in pairs)


FILE: dict[str, Any] = {"rows": count, "bytes": count, "sha256": str}
RECORD: dict[str, Any] = {"start": count, "stop": count, "files": {"*": FILE}}
TALLY: dict[str, Any] = dict.fromkeys(TALLIES, count)
INFO: dict[str, Any] = {
    "status": frozenset(STATUSES),
    "plan": dict,
    "identity": {"plan": {"turns": bool, "strategies": [str]}, "strategies": {"*": str}, "cards": str, "engine": str},
    "seconds": NUMBER,
    "chunk": lambda value: count(value) and value >= 2,
    "tallies": TALLY,
    "pairs?": [_sums],
    "strategies?": {"*": str},
    "stages?": [{"name": str, "pairs": count, "first_round": count, "cycle": count, "slots": _slots}],
}
OLD_INFO = INFO | {"tallies": {name: inner for name, inner in TALLY.items() if name != "decisions_cut"} | {"events_cut": count}}  # format 1
WHOLE: dict[str, Any] = {"parts": [RECORD], "pairs": [_sums], "cards_parquet": FILE}  # what a run has besides when it is done


def read_info(folder: Folder) -> dict[str, Any] | None:
    """Return the content of run.json; None if there is none."""
    data = folder.read("run.json")
    if data is None:
        return None
    try:
        info = json.loads(data)
    except (ValueError, RecursionError):
        raise RunError(f"{folder.address}/run.json: this is not what a run writes; start again with --overwrite.") from None
    if not (wrong := misfit(info, {"format": lambda value: value is not None})):
        if info["format"] not in READABLE:
            raise RunError(f"{folder.address}: this run was written by another version (format {info['format']}, not {FORMAT}); simulate it again.")
        if info["format"] != FORMAT and info.get("status") != "done":
            raise RunError(f"{folder.address}: this run was begun by an earlier version, which can finish it; or start again with --overwrite.")
        wrong = misfit_of_info(info)
    if not wrong and seal_broken(info):
        raise RunError(f"{folder.address}/run.json: its content has changed since it was written; put back what was there, or start again with --overwrite.")
    if wrong:
        raise RunError(f"{folder.address}/run.json: {wrong} is missing or not what a run writes; start again with --overwrite.")
    info.pop(SEAL, None)
    return info


def write_info(folder: Folder, info: dict[str, Any]) -> None:
    """Write run.json in the place of the one that is there."""
    folder.write("run.json", json.dumps(sealed(info), ensure_ascii=False, indent=1).encode())


def misfit_of_info(info: dict[str, Any]) -> str | None:
    """Return where run.json is not what a run writes, as far as that can be told by its form and its sums; None if it is."""
    if wrong := misfit(info, OLD_INFO if info["format"] != FORMAT else INFO):
        return wrong
    plan = info["identity"]["plan"]
    if plan.get(name := decisions_table(plan)) != "all" and not count(plan.get(name)):
        return f"identity.plan.{name}"
    return _misfit_of_parts(info) if info["status"] == "done" else None


def _misfit_of_parts(info: dict[str, Any]) -> str | None:
    """Return where a run that is done does not have all its games, each once, in parts that follow one another."""
    if wrong := misfit(info, WHOLE):
        return wrong
    end = 0
    for number, record in enumerate(info["parts"]):
        if wrong := _misfit_of_record(record, info["identity"]["plan"]):
            return f"parts.{number}.{wrong}"
        if record["start"] != end:
            return f"parts.{number}.start"
        end = record["stop"]
    if end != info["tallies"]["games"] or not end:
        return "tallies.games"
    return "pairs" if end != 2 * sum(cell[0] for cell in info["pairs"]) else None


def _tables(plan: dict[str, Any], start: int) -> set[str]:
    """Return the tables of a chunk that a run keeps when it is done."""
    decisions = decisions_table(plan)
    told = plan[decisions] == "all" or start < plan[decisions]
    return {"games", "purchases"} | ({"turns"} if plan["turns"] else set()) | ({decisions} if told else set())


def decisions_table(plan: dict[str, Any]) -> str:
    """Return the name of the table of decisions in the run of that plan, and of the entry of the plan that asks for it."""
    return "decisions" if "decisions" in plan else "events"


def _misfit_of_record(record: Any, plan: dict[str, Any]) -> str | None:
    """Return where a record does not say which games it is about, or has no checksum for each of their files."""
    if wrong := misfit(record, RECORD):
        return wrong
    if record["start"] >= record["stop"]:
        return "stop"
    return None if set(record["files"]) - {"cards"} == _tables(plan, record["start"]) else "files"


def read_records(folder: Folder, identity: dict[str, Any]) -> list[ChunkRecord]:
    """Return the records of finished chunks of a run; half a record, or another run's, is none: that chunk is played again."""
    found, run = [], key_of_identity(identity)
    for name in folder.names("chunks"):
        try:
            record = json.loads(folder.read(name) or b"")
        except (ValueError, RecursionError):
            continue
        if _misfit_of_record(record, identity["plan"]) or misfit(
            record, {"run": str, "tallies": TALLY, "pairs": [_sums], "files": {"cards": FILE}, "seconds?": NUMBER}
        ):
            continue
        mine = not seal_broken(record) and record["run"] == run and name == record_name(record["start"])
        if mine and 2 * sum(cell[0] for cell in record["pairs"]) == record["stop"] - record["start"]:
            found.append(record)
    return found


def damaged(folder: Folder, name: str, file: dict[str, Any]) -> bool:
    """Whether a file is not what its record says."""
    data = folder.read(name)
    return data is None or len(data) != file["bytes"] or sha256(data) != file["sha256"]


def damaged_parts(folder: Folder, record: ChunkRecord) -> list[str]:
    """Return the parts of a chunk that are not what its record says."""
    return [name for table, file in record["files"].items() if damaged(folder, name := part_name(table, record["start"]), file)]


def all_parts(info: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return every file that run.json vouches for, with its checksum."""
    for record in info["parts"]:
        for table, file in record["files"].items():
            yield part_name(table, record["start"]), file
    if "cards_parquet" in info:
        yield "cards.parquet", info["cards_parquet"]


def strays(folder: Folder, info: dict[str, Any]) -> list[str]:
    """Return the files among the parts of a finished run that are none of them: whoever reads `games/*.parquet` would take them for games."""
    known = {name for name, _ in all_parts(info)}
    return [name for table in PART_TABLES if table != "cards" for name in folder.names(table) if name not in known]


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return the differences between two runs, in words."""
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
    """Return the versions of Python and the libraries that were used."""
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in ("terrors", "numba", "numpy", "polars", "joblib")}
