"""The server of the explorer: bound to one host, and open to pages that came from there only."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

from bokeh.application import Application
from bokeh.application.handlers import FunctionHandler
from bokeh.document import Document
from bokeh.server.auth_provider import AuthProvider
from bokeh.server.server import Server
from jinja2 import Template
from tornado.web import HTTPError, RequestHandler, stream_request_body

from netgiven.errors import InputError
from netgiven.explorer.downloads import Downloads
from netgiven.explorer.post import written
from netgiven.explorer.uploads import MEGABYTE, Uploads
from netgiven.explorer.view import View
from netgiven.explorer.visit import Opened, Visit
from netgiven.maps.bokeh_figure import script

SHARED_SCRIPTS = ("dom", "view", "pick", "crowd", "overlay", "panels", "legend", "search")  # with the page that is sent
SCRIPTS = ("steps", "sections", "cards", "newcomer", "explorer")
LEFT_AFTER, LOOKED_AT_EVERY = 4_000, 1_000  # milliseconds: how long a page may be away before its visit ends
PIECE = 1 << 20
LOCAL = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")
SHOWN = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "localhost", "::1": "localhost"}  # as a browser takes them


class Desk:
    """Receives visitors, and knows them by a ticket that only their page has."""

    def __init__(self, opened: Opened | None = None, most_megabytes: float = 20, threads: int | None = None) -> None:
        self.opened, self.most_megabytes, self.threads = opened, most_megabytes, threads
        self.downloads = Downloads()
        self.views: dict[str, View] = {}

    def receive(self, document: Document) -> None:
        """Make the page of a new visitor."""
        ticket, uploads = secrets.token_urlsafe(24), Uploads(self.most_megabytes)
        view = View(document, Visit(self.threads), uploads, self.downloads.offer)
        view.post.ticket = written({"ticket": ticket, "most": self.most_megabytes})
        self.views[ticket] = view
        document.title = "netgiven explorer"
        document.template = page_template()
        document.template_variables.update(page_parts())
        document.on_session_destroyed(lambda context: self.say_goodbye(ticket))
        if self.opened is not None:
            view.open(self.opened, can_add_nodes=False)

    def say_goodbye(self, ticket: str) -> None:
        """A visitor has left: stop what goes on for them, and remove their files."""
        view = self.views.pop(ticket)
        self.downloads.withdraw(view.uploads.folder)
        view.close()


def page_file(name: str) -> str:
    """A part of the page."""
    return (resources.files("netgiven.explorer") / "page" / name).read_text(encoding="utf-8")


def page_template() -> Template:
    """The page around the maps."""
    template: Template = Template(page_file("explorer.html"))
    return template


def page_parts() -> dict[str, str]:
    """What stands within the page, so that it asks for no file of ours."""
    scripts = [script(f"{name}.js") for name in SHARED_SCRIPTS] + [page_file(f"{name}.js") for name in SCRIPTS]
    return {"style": page_file("explorer.css"), "script": "\n".join(scripts)}


# ---- files to and from visitors ------------------------------------------------------------------------------------


@stream_request_body
class Receiver(RequestHandler):
    """Takes a file from a visitor who has a ticket, piece by piece, and no more than is allowed."""

    def initialize(self, desk: Desk) -> None:
        """Tornado hands over what all receivers share."""
        self.desk, self.problem = desk, ""
        self.sink: IO[bytes] | None = None

    def prepare(self) -> None:
        """Before the first piece: who sends what?"""
        view = self.desk.views.get(self.path_args[0])
        if view is None:
            raise HTTPError(404)
        self.view, self.part = view, self.path_args[1]
        self.label = Path(unquote(self.request.headers.get("X-File-Name", ""))).name
        connection: Any = self.request.connection
        connection.set_max_body_size(view.uploads.most + MEGABYTE)
        try:
            view.uploads.check(self.part, self.label, int(self.request.headers.get("Content-Length", 0)))
            self.target = view.uploads.target(self.part, self.label)
            self.sink = self.target.open("wb")
        except InputError as problem:
            self.problem = str(problem)

    def data_received(self, chunk: bytes) -> None:
        """One piece."""
        if self.sink is not None:
            self.sink.write(chunk)

    def post(self, *_: str) -> None:
        """All pieces are there: the answer is a sentence if the file was not taken, and empty if it was."""
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        if self.sink is not None:
            self.sink.close()
            self.view.take_upload(self.part, self.label, self.target)
        self.finish(self.problem)

    def on_connection_close(self) -> None:
        """The visitor has gone in the middle of a file."""
        if self.sink is not None:
            self.sink.close()


class Giver(RequestHandler):
    """Gives a file to whoever knows its address."""

    def initialize(self, desk: Desk) -> None:
        """Tornado hands over what all givers share."""
        self.desk = desk

    async def get(self, address: str) -> None:
        """The file, to be saved and never to be shown as a page of ours."""
        path = self.desk.downloads.find(address)
        if path is None or not path.is_file():
            raise HTTPError(404)
        self.set_header("Content-Type", "application/octet-stream")
        self.set_header("Content-Disposition", f'attachment; filename="{path.name}"')
        self.set_header("X-Content-Type-Options", "nosniff")
        with path.open("rb") as source:
            while piece := source.read(PIECE):
                self.write(piece)
                await self.flush()


# ---- the server ----------------------------------------------------------------------------------------------------


class OwnNames(AuthProvider):  # type: ignore[misc]
    """Lets in only those who call the server by one of its own names.

    A page from elsewhere can let its own name lead to this machine. What it asks for then is of one origin with it, and
    no check of origins is made.
    """

    login_url = "/"  # Bokeh wants one; nobody is sent there
    get_login_url = get_user = login_handler = logout_url = logout_handler = None

    def __init__(self, hosts: Sequence[str]) -> None:
        self._hosts = frozenset(hosts)
        super().__init__()

    async def get_user_async(self, request: RequestHandler) -> str:
        """Asked before anything is answered. Everybody who is let in is the same."""
        host = request.request.host.lower()
        if (host if ":" in host else f"{host}:80") not in self._hosts:
            raise HTTPError(403)
        return "visitor"


def make_server(desk: Desk, host: str = "127.0.0.1", port: int = 5006) -> Server:
    """A server that has begun to listen; `run` lets it work. Port 0 is any that is free."""
    port = usable_port(host, port)
    names = origins(host, port)
    patterns = [
        (r"/send/([\w-]+)/(\w+)", Receiver, {"desk": desk}),
        (r"/take/([\w-]+)", Giver, {"desk": desk}),
    ]
    return Server(
        {"/": Application(FunctionHandler(desk.receive))},
        address=host or None,
        port=port,
        allow_websocket_origin=names,
        auth_provider=OwnNames(names),
        extra_patterns=patterns,
        unused_session_lifetime_milliseconds=LEFT_AFTER,
        check_unused_sessions_milliseconds=LOOKED_AT_EVERY,
    )


def origins(host: str, port: int) -> list[str]:
    """The pages that may talk to the server: those that it gave out itself.

    >>> origins("127.0.0.1", 5006)
    ['127.0.0.1:5006', 'localhost:5006']
    """
    if host in LOCAL:
        names = ["127.0.0.1", "localhost"]
    elif host in EVERYWHERE:
        names = ["127.0.0.1", "localhost", *_own_names()]
    elif ":" in host:  # Bokeh takes what follows the first colon for a port
        raise InputError(f"--host {host} was given; of addresses with colons, only ::1 and :: can be used.")
    else:
        names = [host]
    return [f"{name.lower()}:{port}" for name in dict.fromkeys(names)]


def _own_names() -> list[str]:
    """What others call this machine."""
    name = socket.gethostname()
    try:
        found, more, addresses = socket.gethostbyname_ex(name)
    except OSError:
        return [name]
    return [name, found, *more, *addresses]


def usable_port(host: str, port: int) -> int:
    """The port, or any that is free for 0; a sentence, if it cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family) as probe:
            return int(probe.getsockname()[1])
    except OSError as problem:
        raise InputError(
            f"Port {port} of {host} cannot be used: {problem.strerror or problem}. Name another with --port, or 0 for "
            "any that is free; the usual --host is 127.0.0.1."
        ) from problem


def run(server: Server, ready: Callable[[], object]) -> None:
    """Work until somebody presses Ctrl-C."""
    server.start()
    server.io_loop.add_callback(ready)
    try:
        server.io_loop.start()
    except KeyboardInterrupt:
        server.stop()


def address_of(server: Server) -> str:
    """Where the page is."""
    host: Any = server.address or ""
    return f"http://{SHOWN.get(host, host)}:{server.port}/"
