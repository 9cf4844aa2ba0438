"""One owner a database: the election, forwarding, take-over, and everything that only looks like an owner.

Two doors in one process stand for two processes: the fake application's lock is held by its open file.
"""

from __future__ import annotations

import http.server
import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from fake_application import FakeApplication

from webdocs.errors import OwnerError, StoreError
from webdocs.serve.channel import OwnerGoneError, proof_of
from webdocs.serve.door import Door
from webdocs.serve.owner_file import OwnerRecord, read_owner, write_owner
from webdocs.serve.tool_messages import ToolAnswer, ToolCall
from webdocs.settings import Settings

LIST = ToolCall("list_sites")
SUBMIT = ToolCall("submit_document", {"url": "https://x.test/"})


@pytest.fixture
def new_door(db_path: str) -> Iterator[Callable[[], Door]]:
    with ExitStack() as stack:

        def make() -> Door:
            door = Door(Settings(db_path=db_path), FakeApplication, patience_s=0.3)
            stack.callback(door.close)
            return door

        yield make


def _text(door: Door, call: ToolCall = LIST) -> str:
    outcome = door.call_tool(call)
    assert isinstance(outcome, ToolAnswer)
    return outcome.text


def _record(db_path: str) -> OwnerRecord | None:
    return read_owner(Path(db_path + ".owner"))


def test_the_first_owns_and_the_second_forwards(new_door: Callable[[], Door]) -> None:
    first, second = new_door(), new_door()
    assert _text(first) == _text(second)
    assert (first.owner is not None, second.owner) == (True, None)


def test_nothing_is_opened_before_the_first_call(new_door: Callable[[], Door], db_path: str) -> None:
    new_door().close()
    assert not Path(db_path).exists()


def test_the_next_caller_takes_over(new_door: Callable[[], Door], db_path: str) -> None:
    first, second, third = new_door(), new_door(), new_door()
    _text(first)
    _text(second)
    before = _record(db_path)
    first.close()
    assert _text(second).startswith("docs.example.org")
    assert second.owner is not None
    assert _record(db_path) != before
    assert _text(third).startswith("docs.example.org")
    assert third.owner is None


def test_the_last_owner_leaves_no_file(new_door: Callable[[], Door], db_path: str) -> None:
    door = new_door()
    _text(door)
    door.close()
    assert sorted(path.name for path in Path(db_path).parent.iterdir()) == [
        "webdocs.duckdb",
        "webdocs.duckdb.jobs",
    ]


def test_many_threads_elect_one_owner(new_door: Callable[[], Door]) -> None:
    doors = [new_door() for _ in range(3)]
    with ThreadPoolExecutor(12) as pool:
        texts = set(pool.map(_text, doors * 4))
    assert (len(texts), sum(door.owner is not None for door in doors)) == (1, 1)


def test_a_stale_owner_file_is_no_owner(new_door: Callable[[], Door], db_path: str) -> None:
    write_owner(Path(db_path + ".owner"), OwnerRecord(1, 1, secrets.token_hex(32), "1"))
    door = new_door()
    _text(door)
    assert door.owner is not None


class _Impostor(http.server.ThreadingHTTPServer):
    """A process on the owner's port. It proves itself if it has the secret, and breaks off at any request."""

    def __init__(self, secret: str | None) -> None:
        super().__init__(("127.0.0.1", 0), _ImpostorHandler)
        self.secret = secret
        self.heard: list[str] = []


class _ImpostorHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Impostor

    def do_GET(self) -> None:
        self.server.heard.append(f"{self.path.partition('?')[0]} {self.headers.get('X-Webdocs-Owner-Secret')}")
        nonce = parse_qs(urlsplit(self.path).query).get("nonce", [""])[0]
        if "challenge" not in self.path:
            self.close_connection = True
            return
        body = (proof_of(self.server.secret, nonce) if self.server.secret else "f" * 64).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def _impostor(db_path: str, *, knows_secret: bool) -> Iterator[_Impostor]:
    secret = secrets.token_hex(32)
    with _Impostor(secret if knows_secret else None) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        write_owner(Path(db_path + ".owner"), OwnerRecord(1, server.server_port, secret, "1"))
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_a_foreign_process_hears_a_nonce_and_nothing_else(new_door: Callable[[], Door], db_path: str) -> None:
    with _impostor(db_path, knows_secret=False) as impostor:
        door = new_door()
        assert _text(door, SUBMIT).startswith("Started job job1")
    assert door.owner is not None
    assert impostor.heard == ["/_owner/challenge None"]


def test_a_write_is_not_sent_twice_when_the_owner_breaks_off(new_door: Callable[[], Door], db_path: str) -> None:
    with _impostor(db_path, knows_secret=True) as impostor, pytest.raises(OwnerGoneError):
        new_door().call_tool(SUBMIT)
    assert [line.split()[0] for line in impostor.heard] == ["/_owner/challenge", "/_owner/call_tool"]


def test_a_read_is_sent_again_when_the_owner_breaks_off(new_door: Callable[[], Door], db_path: str) -> None:
    with _impostor(db_path, knows_secret=True) as impostor, pytest.raises(OwnerGoneError):
        new_door().call_tool(LIST)
    assert [line.split()[0] for line in impostor.heard].count("/_owner/call_tool") == 4


def test_a_lock_without_an_owner_is_an_error_with_a_remedy(new_door: Callable[[], Door], db_path: str) -> None:
    holder = FakeApplication(Settings(db_path=db_path))
    with pytest.raises(OwnerError, match=r"holds .*webdocs\.duckdb and does not answer\. End the other"):
        _text(new_door())
    holder.close()


def test_a_waiting_process_gets_the_database_when_the_lock_goes(db_path: str) -> None:
    holder = FakeApplication(Settings(db_path=db_path))
    waiter = Door(Settings(db_path=db_path), FakeApplication)
    with ThreadPoolExecutor(1) as pool:
        text = pool.submit(_text, waiter)
        holder.close()
        assert text.result().startswith("docs.example.org")
    waiter.close()


def test_a_database_that_cannot_be_opened_is_the_callers_error(tmp_path: Path) -> None:
    path = str(tmp_path / "no-such-folder" / "webdocs.duckdb")
    with pytest.raises(StoreError, match=r"no-such-folder/webdocs\.duckdb cannot be opened"):
        _text(Door(Settings(db_path=path), FakeApplication))


def test_in_memory_each_process_is_alone_and_writes_no_file(tmp_path: Path, new_door: Callable[[], Door]) -> None:
    doors = [Door(Settings(db_path=":memory:"), FakeApplication) for _ in range(2)]
    assert [_text(door, SUBMIT).split()[2] for door in doors] == ["job1", "job1"]
    assert all(door.owner is not None for door in doors)
    for door in doors:
        door.close()
    assert list(tmp_path.iterdir()) == []
    assert not Path(":memory:.owner").exists()


def test_a_closed_door_stays_closed(new_door: Callable[[], Door]) -> None:
    door = new_door()
    door.close()
    with pytest.raises(OwnerError, match="is closing"):
        _text(door)


def test_an_owners_threads_are_waited_for_at_the_interpreters_end(new_door: Callable[[], Door]) -> None:
    """A daemon thread that frees a database cursor while the interpreter ends aborts the process (exit 134)."""
    owner, other = new_door(), new_door()
    _text(owner)
    _text(other)
    ours = [thread for thread in threading.enumerate() if thread.name.startswith(("listener-", "AnyIO"))]
    assert len(ours) >= 2
    assert [thread.name for thread in ours if thread.daemon] == []


@pytest.mark.parametrize("stays", [True, False], ids=["G4-a-server-resumes-jobs-as-owner", "G4-a-command-does-not"])
def test_an_owner_that_stays_goes_on_with_the_jobs_left(db_path: str, stays: bool) -> None:
    opened: list[FakeApplication] = []

    def open_one(settings: Settings) -> FakeApplication:
        opened.append(FakeApplication(settings))
        return opened[-1]

    door = Door(Settings(db_path=db_path), open_one, resumes_jobs=stays)
    door.knock()
    assert [application.service.has_resumed for application in opened] == [stays]
    door.close()
