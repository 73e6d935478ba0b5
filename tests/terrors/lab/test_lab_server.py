"""The server of the lab, as a process: who may ask, what is answered, that games stop when nobody listens, and that nothing is lost when it is killed."""

import http.client
import os
import shutil
import signal
import socket
import time

import pytest

from terrors.lab.guard import kept_token
from tests.support.commands import refused
from tests.support.labs import RunningLab
from tests.support.places import FROZEN

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("compiled_engine")]
EDIT = [["Thames Drowner", "cost", "5"]]


@pytest.fixture(scope="module")
def lab(tmp_path_factory, compiled_engine):
    file = tmp_path_factory.mktemp("lab") / "cards.csv"
    shutil.copy(FROZEN, file)
    running = RunningLab(file)
    running.file = file
    yield running
    assert running.end() == (0, "")


def test_every_request_needs_the_token(lab):
    assert lab.request("GET", "/")[0] == 200
    for token in ("", "x", lab.token[:-1], lab.token + "x", lab.token.swapcase()):
        status, text = lab.request("GET", "/", token=token)
        assert status == 403
        assert "terrors lab" in text or "token" in text
        assert lab.token not in text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "0.0.0.0", "[::1]"])
def test_another_host_is_refused(lab, host):
    """A name that was bent to point here (DNS rebinding) is not this lab."""
    assert lab.request("GET", "/", headers={"Host": host})[0] == 403
    assert lab.request("POST", "/ask", {"edits": []}, headers={"Host": host})[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_another_origin_is_refused(lab, origin):
    assert lab.request("POST", "/ask", {"edits": []}, headers={"Origin": origin})[0] == 403
    assert lab.request("GET", "/", headers={"Origin": origin})[0] == 403
    assert lab.request("POST", "/ask", {"edits": []}, headers={"Origin": f"http://{lab.host}"})[0] == 200


def test_a_form_of_another_page_cannot_save(lab):
    before = lab.file.read_bytes()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert lab.request("POST", "/save", {"edits": EDIT}, headers={"Content-Type": kind})[0] == 403
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
        assert lab.request(method, "/save")[0] == 403
    assert lab.file.read_bytes() == before


def test_it_listens_on_the_loopback_address_alone(lab):
    port = int(lab.host.partition(":")[2])
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in others:
        with socket.socket() as one:
            one.settimeout(2)
            if not address.startswith("127."):
                assert one.connect_ex((address, port)) != 0


def test_no_path_in_a_request_reaches_the_file_system(lab, tmp_path):
    secret = tmp_path / "secret.py"
    secret.write_text("raise SystemExit('executed')\n", encoding="utf-8")
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", f"/{secret}", "//etc/passwd", "/templates/lab.html", "/answer/..%2f..%2fetc%2fpasswd"):
        status, text = lab.request("GET", path)
        assert status == 404, path
        assert "root:" not in text
    status, text = lab.request("POST", "/ask", {"edits": [], "pilot": str(secret)})
    assert status == 400
    assert "is not one of" in text
    status, _ = lab.request("POST", "/save", {"edits": [], "file": str(secret), "path": str(secret), "digest": str(secret)})
    assert secret.read_text(encoding="utf-8").startswith("raise")


@pytest.mark.parametrize("body", [[], "x", {"edits": "x"}, {"edits": [], "until": "soon"}, {"edits": [], "pilot": 3}])
def test_what_is_no_question_is_refused_in_a_sentence(lab, body):
    status, text = lab.request("POST", "/ask", body)
    assert status == 400
    assert '"error"' in text
    assert "Traceback" not in text


def test_every_answer_forbids_to_be_kept_or_framed(lab):
    connection = http.client.HTTPConnection(lab.host, timeout=60)
    connection.request("GET", f"/{lab.token}/")
    response = connection.getresponse()
    text = response.read().decode()
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert "default-src &#39;none&#39;" in text
    connection.close()


def test_an_edit_is_answered_until_it_is_sharp(lab):
    said = lab.ask("ask", {"edits": EDIT, "until": 2})
    assert said["chips"][0] | {"problems": []} == {"card": "Thames Drowner", "column": "cost", "before": "3", "after": "5", "problems": [], "same": False}
    events = list(lab.listen(said["question"]))
    widths = [event["widest"] for event in events if "widest" in event]
    assert widths[0] > 2 >= widths[-1]
    assert events[-1]["done"]
    assert {row["overlord"] for row in events[-1]["overlords"]} == {"Azazael", "Fenris", "Lilith", "Methuselah"}
    assert lab.request("GET", f"/answer/{said['question']}")[0] == 404  # it has been answered


def is_quiet(lab):
    """Whether no games are played any more, once those that were under way are done."""
    before = None
    for _ in range(100):
        state = lab.ask("state")
        if state == before and not state["busy"]:
            return True
        before = state
        time.sleep(0.2)
    return False


def test_closing_the_page_stops_its_games_and_no_others(lab):
    """Two tabs: one is left, the other goes on and gets its answer."""
    endless = lab.listen(lab.ask("ask", {"edits": EDIT, "until": 0})["question"])
    next(endless)
    other = lab.listen(lab.ask("ask", {"edits": [["Ghoul", "cost", "1"]], "until": 5})["question"])
    next(other)
    assert lab.ask("state")["busy"]
    endless.close()
    last = list(other)[-1]
    assert last["done"]
    assert is_quiet(lab)


def test_a_broken_cell_is_answered_without_it(lab):
    said = lab.ask("ask", {"edits": [["Thames Drowner", "abilities", "3 Pover"], ["Ghoul", "cost", "1"]]})
    assert "did you mean" in said["chips"][0]["problems"][0]
    assert not said["chips"][1]["problems"]
    assert said["question"]


def test_saved_work_survives_a_kill_and_an_address_the_server(tmp_path, compiled_engine):
    file = tmp_path / "cards.csv"
    shutil.copy(FROZEN, file)
    lab = RunningLab(file)
    try:
        digest = lab.ask("state")["digest"]
        saved = lab.ask("save", {"edits": EDIT, "digest": digest})
        assert saved["kept"] == "cards.csv.before-1"
        status, text = lab.request("POST", "/save", {"edits": [["Ghoul", "cost", "9"]], "digest": digest})
        assert status == 400  # another tab, still at the file as it was before
        assert "was changed on disk" in text
        lab.ask("ask", {"edits": [["Ghoul", "cost", "9"]], "digest": digest})  # but its questions are answered
        listening = lab.listen(lab.ask("ask", {"edits": [], "until": 0})["question"])
        next(listening)
        lab.end(signal.SIGKILL)
        assert (tmp_path / "cards.csv.before-1").read_bytes() == FROZEN.read_bytes()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["cards.csv", "cards.csv.before-1"]
        again = RunningLab(file, "--port", lab.host.partition(":")[2])
        try:
            assert again.address == lab.address  # an address that was kept can be opened again
            assert again.ask("state")["digest"] == saved["digest"]
        finally:
            again.end()
    finally:
        lab.end(signal.SIGKILL)


def test_the_token_is_made_once_and_for_nobody_else(tmp_path):
    token = kept_token(tmp_path)
    assert len(token) >= 32
    assert kept_token(tmp_path) == token
    file = tmp_path / "lab-token"
    assert file.stat().st_mode & 0o077 == 0
    os.chmod(file, 0o644)  # somebody may have read it
    assert kept_token(tmp_path) != token
    assert kept_token(tmp_path / "no" / "such" / "place")


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    import importlib.util

    there = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *rest: None if name in ("starlette", "uvicorn") else there(name, *rest))
    assert 'the lab needs starlette and uvicorn; `pip install "terrors[lab]"`' in refused("lab", "--no-open")


def test_what_cannot_be_opened_is_refused(tmp_path):
    assert "there is no such file" in refused("lab", "--no-open", "--cards", tmp_path / "none.csv")
    assert "nobody" in refused("lab", "--no-open", "--cards", FROZEN, "--pilot", "nobody")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "--port" in refused("lab", "--no-open", "--cards", FROZEN, "--port", taken.getsockname()[1])


def test_an_errand_is_told_of_and_dropped_when_nobody_listens(lab):
    number = lab.ask("errand", {"kind": "numbers", "edits": EDIT, "games": 600_000})["errand"]
    events = lab.events(f"errand/{number}")
    assert "numbers moved by lot" in next(events)["told"]
    assert lab.ask("state")["busy"]
    events.close()
    assert is_quiet(lab)
    assert lab.request("GET", f"/errand/{number}")[0] == 404
    for wrong in ({"kind": "numbers", "games": 7}, {"kind": "card", "card": "Nobody"}, {"kind": "rm"}, {}):
        assert lab.request("POST", "/errand", {"edits": []} | wrong)[0] == 400


def test_a_game_in_the_page_and_games_to_watch(lab):
    setup = {"edits": EDIT, "mine": "Lilith", "rival": "Fenris", "second": False, "seed": 7}
    first = lab.ask("play", setup | {"answers": []})
    assert first["options"]
    second = lab.ask("play", setup | {"answers": [[0, 0]]})
    assert second["lines"][: len(first["lines"])] == first["lines"]
    assert lab.request("POST", "/hint", setup | {"answers": "x"})[0] == 400
    found = lab.ask("games", {"edits": EDIT, "card": "Thames Drowner"})
    assert found["games"]
    assert lab.request("POST", "/games", {"edits": [], "card": "Nobody"})[0] == 400
    assert lab.request("GET", "/report/nothing")[0] == 404
