"""Who is let in: Host, Origin and Fetch Metadata, as a table and on both listeners."""

from __future__ import annotations

import http.client
import json
import stat
from pathlib import Path

import pytest
from loopback import ask
from served import Served
from starlette.types import Receive, Scope, Send

from webdocs.serve.channel import OwnerGoneError, proof_of, reach_owner
from webdocs.serve.guard import LOOPBACK_HOSTS, Guard, refusal_of
from webdocs.serve.listener import Listener, bind
from webdocs.serve.owner_file import OwnerRecord, owner_file_of, read_owner, write_owner

ROWS = [
    ("own-address", "GET", "127.0.0.1:9111", None, None, None),
    ("own-name", "GET", "localhost:9111", None, None, None),
    ("own-name-upper-case", "GET", "LOCALHOST:9111", None, None, None),
    ("own-ipv6", "GET", "[::1]:9111", None, None, None),
    ("configured-host", "GET", "docs.lan:9111", None, None, None),
    ("other-port", "GET", "127.0.0.1:9112", None, None, 421),
    ("port-left-out-is-80", "GET", "127.0.0.1", None, None, 421),
    ("port-is-no-number", "GET", "127.0.0.1:9111x", None, None, 421),
    ("rebound-name", "GET", "evil.test:9111", None, None, 421),
    ("own-name-as-prefix", "GET", "localhost.evil.test:9111", None, None, 421),
    ("user-part", "GET", "localhost@evil.test:9111", None, None, 421),
    ("empty-host", "GET", "", None, None, 421),
    ("own-origin", "POST", "localhost:9111", "http://localhost:9111", None, None),
    ("own-origin-by-address", "POST", "localhost:9111", "http://127.0.0.1:9111", None, None),
    ("foreign-origin", "POST", "localhost:9111", "https://evil.test", None, 403),
    ("foreign-origin-reads", "GET", "localhost:9111", "https://evil.test", None, 403),
    ("other-port-origin", "POST", "localhost:9111", "http://localhost:3000", None, 403),
    ("null-origin", "POST", "localhost:9111", "null", None, 403),
    ("extension-origin", "POST", "localhost:9111", "chrome-extension://abc", None, 403),
    ("cross-site-post", "POST", "localhost:9111", None, "cross-site", 403),
    ("same-site-post-is-another-port", "DELETE", "localhost:9111", None, "same-site", 403),
    ("same-origin-post", "POST", "localhost:9111", None, "same-origin", None),
    ("typed-address", "GET", "localhost:9111", None, "none", None),
    ("followed-link", "GET", "localhost:9111", None, "cross-site", None),
]


@pytest.mark.parametrize(
    ("method", "host", "origin", "site", "status"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_who_is_let_in(method: str, host: str, origin: str | None, site: str | None, status: int | None) -> None:
    headers = [(b"host", host.encode())]
    headers += [(b"origin", origin.encode())] if origin else []
    headers += [(b"sec-fetch-site", site.encode())] if site else []
    refusal = refusal_of(method, headers, LOOPBACK_HOSTS | {"docs.lan"}, 9111)
    assert (refusal.status if refusal else None) == status


def test_two_hosts_are_refused() -> None:
    headers = [(b"host", b"localhost:9111"), (b"host", b"evil.test")]
    refusal = refusal_of("GET", headers, LOOPBACK_HOSTS, 9111)
    assert refusal is not None
    assert refusal.status == 421


def _owner_record(served: Served) -> OwnerRecord:
    file = owner_file_of(served.settings.db_path)
    assert file is not None
    record = read_owner(file)
    assert record is not None
    return record


@pytest.mark.parametrize("target", ["/health", "/mcp", "/openapi.json", "/nope", "/_owner/challenge?nonce=a"])
@pytest.mark.parametrize("listener", ["public", "internal"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Host": "evil.test"}, 421), ({"Origin": "https://evil.test"}, 403), ({"Sec-Fetch-Site": "cross-site"}, 403)],
    ids=["host", "origin", "fetch-metadata"],
)
def test_every_route_of_every_listener_is_guarded(
    served: Served, listener: str, target: str, headers: dict[str, str], status: int
) -> None:
    port = served.port if listener == "public" else _owner_record(served).port
    reply = ask(port, "POST", target, {}, headers)
    assert (reply.status, reply.is_problem) == (status, True)


@pytest.mark.parametrize("secret", [None, "", "0" * 64], ids=["none", "empty", "wrong"])
@pytest.mark.parametrize(
    ("method", "target"),
    [("POST", "/_owner/submit"), ("POST", "/_owner/call_tool"), ("GET", "/_rest/health"), ("GET", "/nope")],
)
def test_the_internal_channel_needs_the_secret(served: Served, method: str, target: str, secret: str | None) -> None:
    headers = {} if secret is None else {"X-Webdocs-Owner-Secret": secret}
    reply = ask(_owner_record(served).port, method, target, {"url": "http://x.test/"}, headers)
    assert (reply.status, reply.is_problem) == (401, True)
    assert served.service.submitted == []


def test_the_secret_opens_the_channel_and_only_its_routes(served: Served) -> None:
    record = _owner_record(served)
    headers = {"X-Webdocs-Owner-Secret": record.secret}
    assert ask(record.port, "GET", "/_rest/health", headers=headers).status == 200
    assert ask(record.port, "GET", "/_owner/nope", headers=headers).status == 404


def test_the_challenge_is_hmac_sha256_of_the_nonce() -> None:
    key = "0b" * 20
    # RFC 4231, test case 1
    assert proof_of(key, "Hi There") == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"


def test_the_owner_file_is_private_and_goes_with_its_owner(served_alone: Served) -> None:
    file = Path(served_alone.settings.db_path + ".owner")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    fields = json.loads(file.read_text())
    assert sorted(fields) == ["pid", "port", "secret", "version"]
    assert len(bytes.fromhex(fields["secret"])) == 32
    served_alone.door.close()
    assert not file.exists()


def test_an_owner_file_of_another_owner_stays(served_alone: Served) -> None:
    file = Path(served_alone.settings.db_path + ".owner")
    other = OwnerRecord(1, 1, "ab" * 32, "9")
    write_owner(file, other)
    served_alone.door.close()
    assert read_owner(file) == other


BAD_FILES = [
    ("no-json", "{", 0o600),
    ("no-port", '{"pid": 1, "secret": "ab", "version": "1"}', 0o600),
    ("a-list", "[]", 0o600),
    ("readable-by-others", '{"pid": 1, "port": 1, "secret": "ab", "version": "1"}', 0o644),
]


@pytest.mark.parametrize(("text", "mode"), [row[1:] for row in BAD_FILES], ids=[row[0] for row in BAD_FILES])
def test_a_bad_owner_file_names_nobody(tmp_path: Path, text: str, mode: int) -> None:
    file = tmp_path / "x.owner"
    file.write_text(text)
    file.chmod(mode)
    assert read_owner(file) is None


def test_a_foreign_process_on_the_port_gets_nothing(served: Served) -> None:
    """A public listener answers the challenge with a 404: no proof, so no request follows."""
    assert reach_owner(OwnerRecord(1, served.port, "ab" * 32, "1")) is None


def test_an_owner_with_another_secret_is_no_owner(served: Served) -> None:
    assert reach_owner(OwnerRecord(1, _owner_record(served).port, "ab" * 32, "1")) is None


def test_an_owner_that_dies_in_mid_answer_cuts_it_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    async def dying(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ExceptionGroup("tasks", [OwnerGoneError(was_sent=True)])

    bound = bind("127.0.0.1", 0)
    listener = Listener(Guard(dying), bound)
    try:
        with pytest.raises((http.client.HTTPException, OSError)):
            ask(listener.port, "GET", "/job_progress/stream")
    finally:
        listener.close()
    assert [record.exc_info for record in caplog.records] == [None] * len(caplog.records)
    assert "answer_cut method=GET path=/job_progress/stream reason=The webdocs process that holds" in caplog.text
