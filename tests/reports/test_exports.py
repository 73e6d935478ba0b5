"""A report in other forms, the notebook, the gate, and what Parquet files say of themselves."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from tests.support.commands import refused, worked
from tests.support.places import FROZEN, ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("exports") / "run"
    plan = Plan(games=480, strategies=("greedy",), cards=str(FROZEN), overlords=("Lilith", "Fenris"), rules={"first_hand": 5}, deny_lottery=0.1, seed=4)
    simulate(plan, str(folder), jobs=1)
    worked("analyze", folder, "--no-feel")
    return folder


def test_a_workbook_has_a_sheet_for_each_table(run):
    import python_calamine

    (file,) = worked("report", run, "--format", "xlsx").split()
    book = python_calamine.CalamineWorkbook.from_path(file)
    assert book.sheet_names[0] == "verdicts"
    findings = json.loads((run / "analysis" / "findings.json").read_text(encoding="utf-8"))["findings"]
    head, *rows = book.get_sheet_by_name("verdicts").to_python()
    assert [row[0] for row in rows] == [finding["id"] for finding in findings]
    assert [row[head.index("sentence")] for row in rows] == [finding["sentence"] for finding in findings]
    (table,) = [pl.read_parquet(run / "analysis" / "overlords.parquet")]
    head, *rows = book.get_sheet_by_name("overlords").to_python()
    assert [row[head.index("overlord")] for row in rows] == table["overlord"].cast(pl.String).to_list()


def test_csv_files(run, tmp_path):
    files = json.loads(worked("report", run, "--format", "csv", "--out", tmp_path / "tables", "--json"))["files"]
    assert {Path(file).stem for file in files} >= {"verdicts", "overlords", "cards"}
    assert pl.read_csv(tmp_path / "tables" / "verdicts.csv").height > 2


@pytest.mark.skipif(shutil.which("chromium") is None, reason="LEFT OUT: a PDF needs Chromium")
@pytest.mark.browser
def test_a_pdf(run, tmp_path):
    worked("report", run, "--format", "pdf", "--games", "0", "--out", tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")


def test_without_a_browser_it_says_what_to_do(run, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert "open the page in any browser and print it to a file" in refused("report", run, "--format", "pdf", "--games", "0")


def test_every_parquet_file_of_a_run_says_what_it_is(run):
    info = json.loads((run / "run.json").read_text(encoding="utf-8"))
    files = [*run.glob("*/part-*.parquet"), run / "cards.parquet"]
    assert len(files) > 3
    for file in files:
        about = pl.read_parquet_metadata(file)
        assert about["terrors.engine"] == info["identity"]["engine"]
        assert about["terrors.cards"] == info["identity"]["cards"]
        assert json.loads(about["terrors.rules"]) == {"first_hand": 5}
        assert json.loads(about["terrors.strategies"]) == info["identity"]["strategies"]
        assert about["terrors.seed"] == "4"


def test_the_notebook_runs_and_its_three_ways_agree(run, monkeypatch):
    monkeypatch.setenv("RUN", str(run))
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    space: dict = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec(compile("".join(cell["source"]), "notebook.ipynb", "exec"), space)
    polars, pandas, duckdb = space["by_polars"], space["by_pandas"], space["by_duckdb"]
    assert polars["overlord"].to_list() == ["Fenris", "Lilith"] == list(pandas.index) == duckdb["overlord"].to_list()
    for column in ("games", "wins", "turns"):
        assert polars[column].to_list() == pytest.approx(pandas[column].to_list())
        assert polars[column].to_list() == pytest.approx([float(value) for value in duckdb[column]])
    assert (run / "overlords.png").stat().st_size > 5_000


def gate(folder: Path, code: int, **given: str) -> tuple[int, str, str, list[str]]:
    """Run the gate of action.yml as GitHub does, with a `terrors` that leaves with this code: exit code, summary, outputs, and what was asked for."""
    program = folder / "terrors"
    said = "echo '96 games, <b>played</b>'\necho 'The page: runs/x/index.html'"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > asked\n{said}\nexit {code}\n", encoding="utf-8")
    program.chmod(0o755)
    files = {"GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_OUTPUT": str(folder / "outputs.txt")}
    environment = os.environ | files | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"} | given
    done = subprocess.run(["bash", str(ROOT / ".ci" / "gate")], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    told, outputs, asked = (Path(folder / name).read_text(encoding="utf-8") for name in ("summary.md", "outputs.txt", "asked"))
    return done.returncode, told, outputs, asked.split("\n")[:-1]


def test_the_gate_writes_its_verdict_and_fails_as_it_should(tmp_path):
    code, summary, outputs, asked = gate(tmp_path, 1, CARDS="my cards.csv", GAMES="96", FAIL_ON="undecided, depends on play")
    assert code == 1
    assert asked == ["balance", "--cards", "my cards.csv", "--games", "96", "--fail-on", "undecided", "--fail-on", "depends on play"]
    assert summary.startswith("## Balance: the gate fails (undecided, depends on play)\n\n```text\n96 games, <b>played</b>\n")
    assert outputs == "page=runs/x/index.html\n"
    code, summary, _, asked = gate(tmp_path, 0, CARDS="", GAMES="", FAIL_ON="")
    assert (code, asked) == (0, ["balance"])
    assert "## Balance: nothing that fails the gate\n" in summary
    assert gate(tmp_path, 2)[0] == 2


@pytest.mark.usefixtures("compiled_engine")
def test_the_gate_step_of_the_action_as_github_runs_it(tmp_path):
    """The command of action.yml itself, with GitHub's shell and variables, and the real `terrors` in a folder of a designer."""
    command = next(line.partition("run: ")[2] for line in (ROOT / "action.yml").read_text(encoding="utf-8").splitlines() if "/.ci/gate" in line)
    shutil.copy(FROZEN, tmp_path / "cards.csv")
    (tmp_path / "terrors.toml").write_text('strategies = ["greedy"]\ngames = 1_200\n', encoding="utf-8")
    files = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "GITHUB_OUTPUT": str(tmp_path / "outputs.txt"), "GITHUB_ACTION_PATH": str(ROOT)}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | files | {"PATH": path, "CARDS": "", "GAMES": "", "FAIL_ON": "lopsided, undecided"}
    done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command], cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 1
    summary, outputs = (Path(files[name]).read_text(encoding="utf-8") for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"))
    assert summary.startswith("## Balance: the gate fails (lopsided, undecided)\n\n```text\n1,200 games, all of greedy against itself.")
    assert (tmp_path / outputs.strip().removeprefix("page=")).is_file()


def test_the_action_takes_nothing_into_its_script():
    """What a pull request may have written comes as an environment variable, never as part of a command."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    runs = [line for line in text.splitlines() if line.strip().startswith("run:")]
    assert len(runs) == 2
    assert not any("${{" in line for line in runs)
