"""Who may talk to the explorer, and what they can get."""

import asyncio
import json
import socket
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

import netgiven as ng
from netgiven.explorer import server
from netgiven.explorer.server import Desk, address_of, make_server, origins
from tests.explorer.serving import served

LINKS = b"ann,bob\nbob,cid\ncid,ann\n"


@pytest.fixture(scope="module")
def explorer():
    with pytest.MonkeyPatch.context() as patch, served_for_long(patch) as one:
        yield one


def served_for_long(patch):
    """A server whose visitors need no browser to stay."""
    patch.setattr(server, "LEFT_AFTER", 600_000)
    return served()


def enter(explorer):
    """The ticket and the view of a new visitor."""
    before = set(explorer.desk.views)
    assert get(explorer, "")[0] == 200
    (ticket,) = set(explorer.desk.views) - before
    return ticket, explorer.desk.views[ticket]


def ask(view, wish):
    """As if the page had asked."""
    view.document.add_next_tick_callback(lambda: setattr(view.post, "asked", wish))


def send(explorer, path, data, name):
    request = urllib.request.Request(f"{explorer.url}{path}", data=data, headers={"X-File-Name": name})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as problem:
        with problem:
            return problem.code, problem.read().decode()


def get(explorer, path):
    try:
        with urllib.request.urlopen(f"{explorer.url}{path}", timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as problem:
        with problem:
            return problem.code, problem.read()


# ---- who may talk --------------------------------------------------------------------------------------------------


def connected(explorer, origin, **more):
    async def connect():
        url = explorer.url.replace("http", "ws") + "ws"
        answer = await websocket_connect(HTTPRequest(url, headers={"Origin": origin, **more}))
        answer.close()
        assert await answer.read_message() is None  # both sides have closed it

    try:
        with ThreadPoolExecutor(1) as thread:  # a browser that tests share may have a loop in this one
            thread.submit(lambda: asyncio.run(connect())).result()
    except HTTPClientError as problem:
        return problem.code
    return 101


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://127.0.0.1", "http://127.0.0.1.evil.example", "null", "http://localhost:1"]
)
def test_pages_from_elsewhere_are_refused(explorer, origin):
    assert connected(explorer, origin) == 403


def test_another_port_or_a_longer_name_is_elsewhere(explorer):
    port = explorer.server.port
    assert connected(explorer, f"http://127.0.0.1.evil.example:{port}") == 403
    assert connected(explorer, f"http://evil.example:{port}") == 403
    assert connected(explorer, f"http://127.0.0.1:{port + 1}") == 403


@pytest.mark.parametrize("path", ["", "autoload.js?bokeh-autoload-element=x", "metadata"])
def test_a_foreign_name_for_this_machine_is_refused(explorer, path):
    """Its page would be of one origin with what it asks for here."""
    name = f"evil.example:{explorer.server.port}"
    request = urllib.request.Request(f"{explorer.url}{path}", headers={"Host": name})
    before = set(explorer.desk.views)
    with pytest.raises(urllib.error.HTTPError, match="403") as problem:
        urllib.request.urlopen(request, timeout=30)
    problem.value.close()
    assert set(explorer.desk.views) == before
    assert connected(explorer, f"http://{name}", Host=name) == 403


def test_our_own_page_is_not_refused(explorer):
    assert connected(explorer, explorer.url.rstrip("/")) == 101
    assert connected(explorer, f"http://localhost:{explorer.server.port}") == 101


def test_bound_to_this_machine_only(explorer):
    assert explorer.server.address == "127.0.0.1"
    names = {address[4][0] for address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for name in names - {"127.0.0.1"} - {name for name in names if name.startswith("127.")}:
        with pytest.raises(OSError):
            socket.create_connection((name, explorer.server.port), timeout=5).close()


def test_origins_of_a_host_that_was_told():
    assert origins("example.org", 80) == ["example.org:80"]
    everywhere = origins("0.0.0.0", 5006)
    assert everywhere[:2] == ["127.0.0.1:5006", "localhost:5006"]
    assert f"{socket.gethostname().lower()}:5006" in everywhere
    assert not any("*" in origin for origin in everywhere)


@pytest.mark.parametrize(("host", "shown"), [("::1", "localhost"), (None, "127.0.0.1"), ("0.0.0.0", "127.0.0.1")])
def test_the_address_is_one_that_a_browser_takes(host, shown):
    assert address_of(SimpleNamespace(address=host, port=5006)) == f"http://{shown}:5006/"
    assert f"{shown}:5006" in origins(host or "", 5006)


def test_other_hosts_with_colons_get_a_sentence():
    with pytest.raises(ng.InputError, match=r"--host fe80::1 was given; .*only ::1"):
        origins("fe80::1", 80)


def test_a_port_in_use_gets_a_sentence(explorer):
    with pytest.raises(ng.InputError, match=r"Port \d+ of 127.0.0.1 cannot be used: .*--port"):
        make_server(Desk(), port=explorer.server.port)


def test_a_host_that_is_not_here_gets_a_sentence():
    with pytest.raises(ng.InputError, match=r"Port 0 of 192.0.2.1 cannot be used"):
        make_server(Desk(), host="192.0.2.1", port=0)


# ---- what they can get ---------------------------------------------------------------------------------------------


def test_the_page_needs_nothing_from_elsewhere(explorer):
    status, page = get(explorer, "")
    assert status == 200
    assert b"https://" not in page
    assert b"http://" not in page.replace(b"http://www.w3.org/2000/svg", b"")


@pytest.mark.parametrize(
    "path",
    ["take/..%2f..%2fetc%2fpasswd", "take/map.html", "take/", "send/x/network", "etc/passwd", "static/../server.py",
     "static/%2e%2e/%2e%2e/server.py", "take/%2fetc%2fpasswd"],
)  # fmt: skip
def test_no_file_can_be_read(explorer, path):
    assert get(explorer, path)[0] in (400, 403, 404, 405)


def test_files_are_taken_from_ticket_holders_only(explorer):
    assert send(explorer, "send/nobody/network", LINKS, "x.csv")[0] == 404


def test_a_bad_ending_and_a_large_file_get_sentences(explorer):
    ticket, _ = enter(explorer)
    status, told = send(explorer, f"send/{ticket}/network", LINKS, "x.exe")
    assert status == 200 and told.startswith("x.exe ends in '.exe'; files of links end in")
    status, told = send(explorer, f"send/{ticket}/network", b"0" * (1 << 20) + b"1", "x.csv")
    assert status == 200 and "x.csv is larger than 1 MB" in told
    status, told = send(explorer, f"send/{ticket}/passwd", LINKS, "x.csv")
    assert status == 200 and told.startswith("A file for 'passwd' was sent")


def test_a_file_that_is_sent_is_opened(explorer):
    ticket, view = enter(explorer)
    assert send(explorer, f"send/{ticket}/network", LINKS, "..%2F..%2Ffriends.csv") == (200, "")
    wait_for(lambda: view.visit.network is not None)
    assert view.visit.title == "friends.csv"
    assert view.visit.network.node_count == 3
    assert {path.parent for path in view.uploads.folder.rglob("*")} == {view.uploads.folder}


def wait_for(happened, seconds=60):
    for _ in range(20 * seconds):
        if happened():
            return
        time.sleep(0.05)
    raise AssertionError("this did not happen")


@pytest.mark.parametrize(
    "asked", ["", "[]", "{}", '{"ask": "passwd"}', '{"ask": "choose"}', '{"ask": "choose", "places": ["a"]}',
              '{"ask": "fit", "reach": "x", "dimensions": 2}', '{"ask": "select", "numbers": [1e99]}', "{" * 5000,
              '{"ask": "file", "kind": "../x", "place": 0}', '{"ask": "close", "place": 7}', '{"ask": "fit"}',
              '{"ask": "next", "strategy": "random"}', '{"ask": "newcomer"}', '{"ask": "newcomer", "values": [1]}',
              '{"ask": "newcomer", "values": {"team": "x"}}', '{"ask": "fairness"}'],
)  # fmt: skip
def test_bad_wishes_get_a_sentence(explorer, asked):
    _, view = enter(explorer)
    ask(view, asked + " ")
    wait_for(lambda: json.loads(view.post.problem).get("sentence"))
    assert view.visit.network is None


def test_a_mistake_of_the_program_is_told_too(explorer, monkeypatch, caplog):
    _, view = enter(explorer)

    def fail():
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(view, "open_example", fail)
    ask(view, '{"ask": "example"}')
    wait_for(lambda: "a mistake of the program" in json.loads(view.post.problem).get("sentence", ""))
    assert "on purpose" in caplog.text


def test_whoever_leaves_leaves_nothing(monkeypatch):
    monkeypatch.setattr(server, "LEFT_AFTER", 4_000)
    with served() as explorer:
        ticket, view = enter(explorer)
        ask(view, '{"ask": "example"}')
        ask(view, '{"ask": "fit", "reach": 2, "dimensions": 2}')
        wait_for(lambda: view.visit.job is not None)
        job, folder = view.visit.job, view.uploads.folder
        wait_for(lambda: ticket not in explorer.desk.views)
        job.wait(60)
        assert not job.running
        wait_for(lambda: not folder.exists())
