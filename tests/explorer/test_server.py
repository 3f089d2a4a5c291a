"""Access to the server of the explorer."""

import asyncio
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
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
from netgiven.explorer.files import LOCK, PREFIX
from netgiven.explorer.server import SessionRegistry, address_of, allowed_hosts, make_server
from netgiven.explorer.session import OpenedNetwork
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


# ---- what the page may do ------------------------------------------------------------------------------------------


def test_the_page_is_protected(explorer):
    with urllib.request.urlopen(explorer.url, timeout=30) as answer:
        page, headers = answer.read().decode(), answer.headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["form-action"] == "'none'"
    assert policy["connect-src"] == "'self'"
    nonce = re.fullmatch(r"'nonce-([\w-]{20,})' 'unsafe-eval'", policy["script-src"])[1]
    assert set(re.findall('<script[^>]*?(?: nonce="([^"]*)")?[ >]', page)) <= {nonce}
    assert page.count("<script") == page.count(f'nonce="{nonce}"') > 3
    assert not re.search(r"<[^>]+ on\w+=", page.split("<script")[0])


def test_each_answer_has_another_nonce(explorer):
    policies = set()
    for _ in range(3):
        with urllib.request.urlopen(explorer.url, timeout=30) as answer:
            policies.add(answer.headers["Content-Security-Policy"])
    assert len(policies) == 3


def test_pages_share_what_is_the_same_for_all(explorer):
    assert server.page_template() is server.page_template()
    opened = OpenedNetwork("names", ng.Network.from_edges([("<b>", "é"), ("é", 3)]))
    assert opened.names_as_json is opened.names_as_json
    assert json.loads(opened.names_as_json) == ["<b>", "é", "3"]


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


def stored(controller):
    """Names of the files in the folder of a page, without the lock."""
    return sorted(path.name for path in controller.uploads.folder.iterdir() if path.name != LOCK)


def raw(explorer, head, body=b""):
    """Send bytes as they are; the socket."""
    connection = socket.create_connection(("127.0.0.1", explorer.server.port), timeout=30)
    host = f"127.0.0.1:{explorer.server.port}"
    connection.sendall("\r\n".join([head[0], f"Host: {host}", *head[1:], "", ""]).encode() + body)
    return connection


@pytest.mark.parametrize("length", ["many", "-5", "1_0", "0x10", "9" * 5000, "1.5"])
def test_a_bad_content_length_is_a_bad_request(explorer, caplog, length):
    token, controller = enter(explorer)
    head = [f"POST /upload/{token}/network HTTP/1.1", "X-File-Name: x.csv", f"Content-Length: {length}"]
    with raw(explorer, head, LINKS) as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")
    assert "Traceback" not in caplog.text
    assert stored(controller) == []


@pytest.mark.parametrize("megabytes", [1.5, 4])
def test_without_a_length_the_limit_holds(explorer, megabytes):
    """Up to a megabyte above the limit the page gets the message, with more the connection is closed."""
    token, controller = enter(explorer)
    head = [f"POST /upload/{token}/network HTTP/1.1", "X-File-Name: x.csv", "Transfer-Encoding: chunked"]
    content = b"0" * 1000
    chunks = (b"%x\r\n%s\r\n" % (len(content), content)) * int(megabytes * 1049) + b"0\r\n\r\n"
    with raw(explorer, head) as connection:
        answer = b""
        try:
            connection.sendall(chunks)
            while b"limit for uploads" not in answer and (more := connection.recv(1000)):
                answer += more
        except ConnectionError:
            pass  # closed before everything was sent
    assert b"x.csv is larger than 1 MB" in answer if megabytes < 2 else b"HTTP/1.1 200" not in answer
    wait_for(lambda: stored(controller) == [])
    assert controller.session.network is None


def test_an_upload_without_a_length_is_opened(explorer):
    token, controller = enter(explorer)
    head = [f"POST /upload/{token}/network HTTP/1.1", "X-File-Name: x.csv", "Transfer-Encoding: chunked"]
    with raw(explorer, head, b"%x\r\n%s\r\n0\r\n\r\n" % (len(LINKS), LINKS)) as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 200 ")
    wait_for(lambda: controller.session.network is not None)


def test_an_upload_that_is_cut_off_is_deleted(explorer):
    token, controller = enter(explorer)
    head = [f"POST /upload/{token}/network HTTP/1.1", "X-File-Name: x.csv", "Content-Length: 500000"]
    with raw(explorer, head, LINKS):
        wait_for(lambda: stored(controller) == ["network-1.upload.csv"])
    wait_for(lambda: stored(controller) == [])


def test_a_refused_upload_is_deleted(explorer):
    token, controller = enter(explorer)
    bomb = gzip.compress(b"0" * (11 << 20))
    assert send(explorer, f"upload/{token}/network", bomb, "bomb.csv.gz") == (200, "")
    wait_for(lambda: "expands to more than" in json.loads(controller.channel.error).get("message", ""))
    assert stored(controller) == []


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


# ---- the end of a server ---------------------------------------------------------------------------------------------

NO_WARM_UP = "from netgiven.explorer import background; background.WarmUp.start = lambda self: None; "
# a server that was started so as to ignore SIGHUP, by nohup, ignores it rightly: here it is to be heard
HEAR = "import signal; hasattr(signal, 'SIGHUP') and signal.signal(signal.SIGHUP, signal.SIG_DFL); "
COMMAND = f"{NO_WARM_UP}{HEAR}from netgiven.cli.main import main; main()"


def started(folder, **more):
    """A server in a process of its own with its temporary files in a folder, and its address."""
    line = [sys.executable, "-c", COMMAND, "explore", "--no-browser", "--port", "0"]
    process = subprocess.Popen(
        line, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)}, **more
    )
    lines = iter(process.stderr.readline, "")
    return process, next(found[0] for text in lines if (found := re.search(r"http://127\.0\.0\.1:\d+/", text)))


def folders(parent):
    return list(parent.glob(f"{PREFIX}*"))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signals_delete_the_files(tmp_path, name):
    process, address = started(tmp_path)
    with process:
        urllib.request.urlopen(address, timeout=60).close()
        assert len(folders(tmp_path)) == 1
        process.send_signal(getattr(signal, name))
        assert process.wait(60) == 0
        assert "Traceback" not in process.stderr.read()
    assert folders(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_the_next_server_deletes_what_a_killed_one_left(tmp_path):
    killed, address = started(tmp_path)
    with killed:
        urllib.request.urlopen(address, timeout=60).close()
        killed.kill()
    assert len(folders(tmp_path)) == 1
    live, address = started(tmp_path)
    with live:
        wait_for(lambda: not folders(tmp_path))
        urllib.request.urlopen(address, timeout=60).close()
        (folder,) = folders(tmp_path)
        other, address = started(tmp_path)
        with other:
            urllib.request.urlopen(address, timeout=60).close()
            assert folder.exists() and len(folders(tmp_path)) == 2
            other.terminate()
        live.terminate()
    assert folders(tmp_path) == []
