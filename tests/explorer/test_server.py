"""Access to the server of the explorer."""

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
from netgiven.explorer.server import SessionRegistry, address_of, allowed_hosts, make_server
from tests.helpers import served

LINKS = b"ann,bob\nbob,cid\ncid,ann\n"


@pytest.fixture(scope="module")
def explorer():
    with pytest.MonkeyPatch.context() as patch, serve_without_timeout(patch) as one:
        yield one


def serve_without_timeout(patch):
    """A server whose sessions do not end without a browser."""
    patch.setattr(server, "SESSION_TIMEOUT", 600_000)
    return served()


def enter(explorer):
    """Token and controller of a new page."""
    before = set(explorer.registry.controllers)
    assert get(explorer, "")[0] == 200
    (token,) = set(explorer.registry.controllers) - before
    return token, explorer.registry.controllers[token]


def ask(controller, text):
    """Send a request as the page would."""
    controller.document.add_next_tick_callback(lambda: setattr(controller.channel, "request", text))


def send(explorer, path, data, name):
    request = urllib.request.Request(f"{explorer.url}{path}", data=data, headers={"X-File-Name": name})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def get(explorer, path):
    try:
        with urllib.request.urlopen(f"{explorer.url}{path}", timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


# ---- connections ---------------------------------------------------------------------------------------------------


def connected(explorer, origin, **more):
    async def connect():
        url = explorer.url.replace("http", "ws") + "ws"
        answer = await websocket_connect(HTTPRequest(url, headers={"Origin": origin, **more}))
        answer.close()
        assert await answer.read_message() is None  # both sides have closed it

    try:
        with ThreadPoolExecutor(1) as thread:  # a browser that tests share may have a loop in this one
            thread.submit(lambda: asyncio.run(connect())).result()
    except HTTPClientError as error:
        return error.code
    return 101


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://127.0.0.1", "http://127.0.0.1.evil.example", "null", "http://localhost:1"]
)
def test_foreign_pages_are_refused(explorer, origin):
    assert connected(explorer, origin) == 403


def test_other_ports_and_longer_names_are_foreign(explorer):
    port = explorer.server.port
    assert connected(explorer, f"http://127.0.0.1.evil.example:{port}") == 403
    assert connected(explorer, f"http://evil.example:{port}") == 403
    assert connected(explorer, f"http://127.0.0.1:{port + 1}") == 403


@pytest.mark.parametrize("path", ["", "autoload.js?bokeh-autoload-element=x", "metadata"])
def test_foreign_host_names_are_refused(explorer, path):
    """A page of that name would have the same origin as its requests (DNS rebinding)."""
    name = f"evil.example:{explorer.server.port}"
    request = urllib.request.Request(f"{explorer.url}{path}", headers={"Host": name})
    before = set(explorer.registry.controllers)
    with pytest.raises(urllib.error.HTTPError, match="403") as error:
        urllib.request.urlopen(request, timeout=30)
    error.value.close()
    assert set(explorer.registry.controllers) == before
    assert connected(explorer, f"http://{name}", Host=name) == 403


def test_the_own_page_is_accepted(explorer):
    assert connected(explorer, explorer.url.rstrip("/")) == 101
    assert connected(explorer, f"http://localhost:{explorer.server.port}") == 101


def test_bound_to_this_machine_only(explorer):
    assert explorer.server.address == "127.0.0.1"
    names = {address[4][0] for address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for name in names - {"127.0.0.1"} - {name for name in names if name.startswith("127.")}:
        with pytest.raises(OSError):
            socket.create_connection((name, explorer.server.port), timeout=5).close()


def test_allowed_hosts_of_a_given_host():
    assert allowed_hosts("example.org", 80) == ["example.org:80"]
    everywhere = allowed_hosts("0.0.0.0", 5006)
    assert everywhere[:2] == ["127.0.0.1:5006", "localhost:5006"]
    assert f"{socket.gethostname().lower()}:5006" in everywhere
    assert not any("*" in origin for origin in everywhere)


@pytest.mark.parametrize(("host", "shown"), [("::1", "localhost"), (None, "127.0.0.1"), ("0.0.0.0", "127.0.0.1")])
def test_the_address_works_in_a_browser(host, shown):
    assert address_of(SimpleNamespace(address=host, port=5006)) == f"http://{shown}:5006/"
    assert f"{shown}:5006" in allowed_hosts(host or "", 5006)


def test_other_ipv6_hosts_are_refused():
    with pytest.raises(ng.InputError, match=r"--host fe80::1 was given; .*only ::1"):
        allowed_hosts("fe80::1", 80)


def test_a_port_in_use_is_refused(explorer):
    with pytest.raises(ng.InputError, match=r"Port \d+ of 127.0.0.1 cannot be used: .*--port"):
        make_server(SessionRegistry(), port=explorer.server.port)


def test_an_unreachable_host_is_refused():
    with pytest.raises(ng.InputError, match=r"Port 0 of 192.0.2.1 cannot be used"):
        make_server(SessionRegistry(), host="192.0.2.1", port=0)


# ---- files ----------------------------------------------------------------------------------------------------------


def test_the_page_needs_no_other_host(explorer):
    status, page = get(explorer, "")
    assert status == 200
    assert b"https://" not in page
    assert b"http://" not in page.replace(b"http://www.w3.org/2000/svg", b"")


@pytest.mark.parametrize(
    "path",
    ["download/..%2f..%2fetc%2fpasswd", "download/map.html", "download/", "upload/x/network", "etc/passwd",
     "static/../server.py", "static/%2e%2e/%2e%2e/server.py", "download/%2fetc%2fpasswd"],
)  # fmt: skip
def test_no_file_can_be_read(explorer, path):
    assert get(explorer, path)[0] in (400, 403, 404, 405)


def test_uploads_need_a_token(explorer):
    assert send(explorer, "upload/nobody/network", LINKS, "x.csv")[0] == 404


def test_bad_suffixes_and_large_files_are_refused(explorer):
    token, _ = enter(explorer)
    status, shown = send(explorer, f"upload/{token}/network", LINKS, "x.exe")
    assert status == 200 and shown.startswith("x.exe has the suffix '.exe'; expected one of")
    status, shown = send(explorer, f"upload/{token}/network", b"0" * (1 << 20) + b"1", "x.csv")
    assert status == 200 and "x.csv is larger than 1 MB" in shown
    status, shown = send(explorer, f"upload/{token}/passwd", LINKS, "x.csv")
    assert status == 200 and shown.startswith("A file of kind 'passwd' was sent")


def test_an_upload_is_opened(explorer):
    token, controller = enter(explorer)
    assert send(explorer, f"upload/{token}/network", LINKS, "..%2F..%2Ffriends.csv") == (200, "")
    wait_for(lambda: controller.session.network is not None)
    assert controller.session.title == "friends.csv"
    assert controller.session.network.node_count == 3
    assert {path.parent for path in controller.uploads.folder.rglob("*")} == {controller.uploads.folder}


def wait_for(happened, seconds=60):
    for _ in range(20 * seconds):
        if happened():
            return
        time.sleep(0.05)
    raise AssertionError("the condition was not met in time")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"action": "passwd"}', '{"action": "choose"}', '{"action": "choose", "indices": ["a"]}',
              '{"action": "fit", "reach": "x", "dimensions": 2}', '{"action": "select", "numbers": [1e99]}', "{" * 5000,
              '{"action": "file", "kind": "../x", "index": 0}', '{"action": "close", "index": 7}', '{"action": "fit"}',
              '{"action": "next_pairs", "strategy": "random"}', '{"action": "new_node"}',
              '{"action": "new_node", "values": [1]}', '{"action": "new_node", "values": {"team": "x"}}',
              '{"action": "fairness"}'],
)  # fmt: skip
def test_invalid_requests_are_refused(explorer, text):
    _, controller = enter(explorer)
    ask(controller, text + " ")
    wait_for(lambda: json.loads(controller.channel.error).get("message"))
    assert controller.session.network is None


def test_internal_errors_are_shown(explorer, monkeypatch, caplog):
    _, controller = enter(explorer)

    def fail():
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(controller, "open_example", fail)
    ask(controller, '{"action": "example"}')
    wait_for(lambda: "Internal error" in json.loads(controller.channel.error).get("message", ""))
    assert "on purpose" in caplog.text


def test_closing_the_page_deletes_everything(monkeypatch):
    monkeypatch.setattr(server, "SESSION_TIMEOUT", 4_000)
    with served() as explorer:
        token, controller = enter(explorer)
        ask(controller, '{"action": "example"}')
        ask(controller, '{"action": "fit", "reach": 2, "dimensions": 2}')
        wait_for(lambda: controller.session.job is not None)
        job, folder = controller.session.job, controller.uploads.folder
        wait_for(lambda: token not in explorer.registry.controllers)
        job.wait(60)
        assert not job.running
        wait_for(lambda: not folder.exists())
