"""A run on a Dask cluster of real processes, one of which dies."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from terrors.simulator.runs import workers
from terrors.simulator.runs.checks.verify import verify_run
from terrors.simulator.runs.job import WorkerError
from terrors.simulator.runs.run import Run, simulate
from terrors.simulator.runs.storage import FolderError
from tests.support.places import ROOT
from tests.support.whole_run import PLAN, content

pytestmark = pytest.mark.cluster

distributed = pytest.importorskip("distributed")


class Cluster:
    """`dask scheduler` and two `dask worker` processes, as somebody would start them by hand."""

    def __init__(self, folder: Path):
        self.folder = folder
        environment = os.environ | {"PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "20s"}
        self.log = open(folder / "log.txt", "w+", encoding="utf-8")  # noqa: SIM115
        self.start = lambda *arguments: subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments], stdout=self.log, stderr=subprocess.STDOUT, env=environment, cwd=folder, start_new_session=True
        )
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.address = self.wait_for(r"Scheduler at:\s+(tcp://\S+)")
        self.workers = [
            self.start("worker", self.address, "--nthreads", "1", "--no-dashboard", "--no-nanny", "--name", name, "--local-directory", str(folder))
            for name in ("one", "two")
        ]

    def wait_for(self, pattern: str) -> str:
        while True:
            if found := re.search(pattern, (self.folder / "log.txt").read_text(encoding="utf-8")):
                return found[1]
            assert self.scheduler.poll() is None, (self.folder / "log.txt").read_text(encoding="utf-8")
            time.sleep(0.05)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.log.close()


@pytest.fixture
def cluster(tmp_path):
    found = Cluster(tmp_path)
    yield found
    found.close()


@pytest.mark.filterwarnings("default")  # Dask's own, about workers that die
def test_a_worker_that_is_killed_makes_no_difference(cluster, tmp_path, expected):
    with distributed.Client(cluster.address) as client:
        client.wait_for_workers(2, timeout=60)
    killed = []

    def on_progress(progress) -> None:
        if progress.done > PLAN.games // 4 and not killed:
            killed.append(cluster.workers[0].pid)
            os.kill(cluster.workers[0].pid, signal.SIGKILL)

    run = simulate(PLAN, tmp_path / "run", backend="dask", scheduler=cluster.address, chunk=60, on_progress=on_progress)
    assert killed
    assert cluster.workers[0].wait() == -signal.SIGKILL
    assert content(run) == expected
    assert run.info["backend"] == "dask"
    assert verify_run(str(tmp_path / "run"), 10).problems == []
    assert content(Run.open(tmp_path / "run")) == expected


@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_dies_in_the_middle_is_told_and_what_was_played_is_kept(cluster, tmp_path, expected, capfd):
    with distributed.Client(cluster.address) as client:
        client.wait_for_workers(2, timeout=60)
    killed = []

    def on_progress(progress) -> None:
        if progress.done > PLAN.games // 4 and not killed:
            killed.append(progress.done)
            os.kill(cluster.scheduler.pid, signal.SIGKILL)

    with pytest.raises(WorkerError, match=r"scheduler tcp://\S+: the connection to it was lost; what was played is kept: start it .* same command"):
        simulate(PLAN, tmp_path / "run", backend="dask", scheduler=cluster.address, chunk=60, on_progress=on_progress)
    assert "Traceback" not in capfd.readouterr().err
    assert Run.open(tmp_path / "run").games.collect().height >= killed[0]
    assert content(simulate(PLAN, tmp_path / "run", jobs=1)) == expected


def test_a_cluster_of_ones_own_listens_to_this_machine_only(tmp_path):
    """Whoever reaches a scheduler or a worker can run code there."""
    import psutil

    heard: set[str] = set()

    def on_progress(progress) -> None:
        me = psutil.Process()
        for process in (me, *me.children(recursive=True)):
            heard.update(found.laddr.ip for found in process.net_connections("inet") if found.status == psutil.CONN_LISTEN)

    simulate(PLAN.but(games=120), tmp_path / "run", backend="dask", jobs=1, chunk=60, on_progress=on_progress)
    assert heard == {"127.0.0.1"}


def test_a_scheduler_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "CONNECT_SECONDS", 1)
    with pytest.raises(WorkerError, match=r"scheduler tcp://127.0.0.1:9: it cannot be reached \(.*\); start one with: dask scheduler"):
        simulate(PLAN, tmp_path / "run", backend="dask", scheduler="tcp://127.0.0.1:9")


def test_without_dask_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkerError, match=r"backend dask: Dask is not installed; install it with: pip install dask distributed fsspec"):
        simulate(PLAN, tmp_path / "run", backend="dask")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(FolderError, match=r"an address needs fsspec; install it with: pip install dask distributed fsspec"):
        simulate(PLAN, "s3://bucket/run")
