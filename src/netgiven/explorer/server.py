"""The Bokeh server of the explorer: one page, uploads and downloads, restricted to its own host names."""

from __future__ import annotations

import re
import secrets
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

from bokeh.application import Application
from bokeh.application.handlers import FunctionHandler
from bokeh.document import Document
from bokeh.server.auth_provider import AuthProvider
from bokeh.server.server import Server
from jinja2 import Environment, Template
from tornado.http1connection import HTTP1Connection
from tornado.httputil import HTTPHeaders
from tornado.web import HTTPError, RequestHandler, stream_request_body

from netgiven.errors import InputError
from netgiven.explorer.background import WarmUp
from netgiven.explorer.controller import Controller
from netgiven.explorer.files import MEGABYTE, Downloads, Uploads, remove_stale_folders
from netgiven.explorer.messages import to_json
from netgiven.explorer.session import OpenedNetwork, Session
from netgiven.maps.bokeh_figure import browser_file
from netgiven.maps.page import SHARED_SCRIPTS

SCRIPTS = ("focus", "story", "motion", "node_table", "guide", "steps", "sections", "cards", "new_node", "explorer")
SESSION_TIMEOUT, TIMEOUT_CHECK = 4_000, 1_000  # milliseconds without a connected page until a session ends
CHUNK_SIZE = 1 << 20
MAX_CLOSED = 8  # sessions that are kept for pages that are reloaded
LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
ANY_HOST = ("0.0.0.0", "::", "")
STOP_SIGNALS = ("SIGTERM", "SIGHUP")  # besides Ctrl-C; not all systems have them
BROWSER_HOSTS = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "localhost", "::1": "localhost"}


class SessionRegistry:
    """All open pages, by a secret token that only the page itself knows.

    Parameters
    ----------
    opened
        The network that each page begins with, or None for an empty page.
    max_megabytes
        The largest file that can be uploaded.
    threads
        Threads of a fit; None uses all cores.

    Attributes
    ----------
    warm_up
        Compiles the kernels in the background, once the server runs.
    """

    def __init__(
        self, opened: OpenedNetwork | None = None, max_megabytes: float = 20, threads: int | None = None
    ) -> None:
        self.opened, self.max_megabytes, self.threads = opened, max_megabytes, threads
        self.downloads = Downloads()
        self.warm_up = WarmUp()
        self.controllers: dict[str, Controller] = {}
        self._closed: dict[str, Session] = {}  # of pages that were closed last, in case that they are reloaded

    def open_page(self, document: Document) -> None:
        """Fill the document of a new page and register its controller."""
        token, uploads = secrets.token_urlsafe(24), Uploads(self.max_megabytes)
        controller = Controller(document, Session(self.threads), uploads, self.downloads.add, self._take_closed)
        controller.channel.upload = to_json({"token": token, "max_megabytes": self.max_megabytes})
        self.controllers[token] = controller
        document.title = "netgiven explorer"
        document.template = page_template()
        document.template_variables.update(page_parts())
        document.on_session_destroyed(lambda context: self.close_page(token))
        self._follow_warm_up(document, controller)
        if self.opened is not None:
            controller.open(self.opened, can_add_nodes=False)

    def close_page(self, token: str) -> None:
        """Stop the work of a page that was closed and delete its files."""
        controller = self.controllers.pop(token)
        self.downloads.remove_folder(controller.uploads.folder)
        controller.close()
        if controller.session.history:
            self._closed[token] = controller.session
            while len(self._closed) > MAX_CLOSED:
                del self._closed[next(iter(self._closed))]

    def _take_closed(self, token: str) -> Session | None:
        """The session of a page that was closed, or is about to be: a page that is reloaded asks before it ends."""
        if token in self.controllers:
            return self.controllers[token].session
        return self._closed.get(token)

    def _follow_warm_up(self, document: Document, controller: Controller) -> None:
        """Show what is being compiled, until it is."""
        controller.channel.preparing = self.warm_up.message
        if not self.warm_up.message:
            return

        def follow() -> None:
            controller.channel.preparing = self.warm_up.message
            if not self.warm_up.message:
                document.remove_periodic_callback(callback)

        callback = document.add_periodic_callback(follow, TIMEOUT_CHECK)

    def close(self) -> None:
        """Close all pages, and stop what runs in the background; the server has ended."""
        self.warm_up.stop()
        for token in list(self.controllers):
            self.close_page(token)


def page_file(name: str) -> str:
    """Text of a file in the folder `page`."""
    return (resources.files("netgiven.explorer") / "page" / name).read_text(encoding="utf-8")


@cache
def page_template() -> Template:
    """The HTML around the maps."""
    template: Template = PageEnvironment().from_string(page_file("explorer.html"))
    return template


@cache
def page_parts() -> dict[str, str]:
    """Style and scripts, which are embedded so that the page requests no further files of ours."""
    scripts = [browser_file(f"{name}.js") for name in SHARED_SCRIPTS] + [page_file(f"{name}.js") for name in SCRIPTS]
    return {"style": page_file("explorer.css"), "script": "\n".join(scripts)}


# ---- what the page may do ------------------------------------------------------------------------------------------
#
# Names of nodes are shown as text. If one were ever taken for HTML, browsers would still not run a script in it: they
# run only scripts with the nonce of the answer, which nobody can guess. 'unsafe-eval' is needed because Bokeh compiles
# the code of a CustomJS, and inline styles because it writes all of its styles into the page. The page connects to this
# server alone (its socket, uploads), has no forms, and cannot be put into the frame of another page, where
# users could be led to click on what they do not see.

POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
NONCE: ContextVar[str] = ContextVar("nonce")  # of the request that is being answered


def protect(answer: RequestHandler) -> None:
    """Set the headers of an answer that restrict what a page can do, with a new nonce."""
    NONCE.set(secrets.token_urlsafe(16))
    answer.set_header("Content-Security-Policy", POLICY.format(nonce=NONCE.get()))
    answer.set_header("X-Frame-Options", "DENY")
    answer.set_header("X-Content-Type-Options", "nosniff")
    answer.set_header("Referrer-Policy", "no-referrer")


class PageTemplate(Template):
    """A template whose scripts, those of Bokeh included, get the nonce of the answer."""

    def render(self, context: dict[str, Any]) -> str:
        """Render the page; called by Bokeh."""
        nonce = NONCE.get()
        bokeh = {name: context[name].replace("<script", f'<script nonce="{nonce}"') for name in BOKEH_SCRIPTS}
        return super().render({**context, **bokeh, "nonce": nonce})


class PageEnvironment(Environment):
    """Makes templates of this class."""

    template_class = PageTemplate


BOKEH_SCRIPTS = ("bokeh_js", "plot_script")  # variables with tags that Bokeh writes


# ---- uploads and downloads -----------------------------------------------------------------------------------------


@stream_request_body
class UploadHandler(RequestHandler):
    """Receives a file in chunks, from a page with a valid token, up to the size limit."""

    def initialize(self, registry: SessionRegistry) -> None:
        """Store the registry that all handlers share; called by Tornado."""
        self.registry, self.error = registry, ""
        self.sink: IO[bytes] | None = None

    def prepare(self) -> None:
        """Check token, kind, name and size before the first chunk."""
        controller = self.registry.controllers.get(self.path_args[0])
        if controller is None:
            raise HTTPError(404)
        self.controller, self.kind, self.received = controller, self.path_args[1], 0
        self.label = Path(unquote(self.request.headers.get("X-File-Name", ""))).name
        connection = self.request.connection
        assert isinstance(connection, HTTP1Connection)
        connection.set_max_body_size(controller.uploads.max_bytes + MEGABYTE)
        try:
            controller.uploads.check(self.kind, self.label, content_length(self.request.headers))
            self.target = controller.uploads.target(self.kind, self.label)
            self.sink = self.target.open("wb")
        except InputError as error:
            self.error = str(error)

    def data_received(self, chunk: bytes) -> None:
        """Write one chunk; without a declared length, the limit is checked here."""
        if self.sink is None:
            return
        self.received += len(chunk)
        try:
            self.controller.uploads.check(self.kind, self.label, self.received)
            self.sink.write(chunk)
        except InputError as error:
            self.error = str(error)
            self._discard()

    def post(self, *_: str) -> None:
        """Answer with an error message, or with an empty text if the file was accepted."""
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        if self.sink is not None:
            self.sink.close()
            self.sink = None
            self.controller.open_upload(self.kind, self.label, self.target)
        self.finish(self.error)

    def on_connection_close(self) -> None:
        """Delete what was received if the page disconnects during the upload."""
        self._discard()

    def _discard(self) -> None:
        if self.sink is not None:
            self.sink.close()
            self.sink = None
            self.controller.uploads.discard(self.target)


def content_length(headers: HTTPHeaders) -> int:
    """The declared length of a request, 0 if there is none; another text than a number is a bad request.

    >>> content_length(HTTPHeaders({"Content-Length": "12"})), content_length(HTTPHeaders())
    (12, 0)
    """
    declared = headers.get("Content-Length", "0")
    if not re.fullmatch("[0-9]{1,18}", declared):
        raise HTTPError(400, reason="Content-Length is not a number")
    return int(declared)


class DownloadHandler(RequestHandler):
    """Sends a registered file to anyone who knows its token."""

    def initialize(self, registry: SessionRegistry) -> None:
        """Store the registry that all handlers share; called by Tornado."""
        self.registry = registry

    async def get(self, token: str) -> None:
        """Send the file as an attachment; browsers must never show it as a page of this server."""
        path = self.registry.downloads.find(token)
        if path is None or not path.is_file():
            raise HTTPError(404)
        self.set_header("Content-Type", "application/octet-stream")
        self.set_header("Content-Disposition", f'attachment; filename="{path.name}"')
        self.set_header("X-Content-Type-Options", "nosniff")
        with path.open("rb") as source:
            while chunk := source.read(CHUNK_SIZE):
                self.write(chunk)
                await self.flush()


# ---- the server ----------------------------------------------------------------------------------------------------


class HostCheck(AuthProvider):  # type: ignore[misc]
    """Refuses requests whose Host header is not one of the server's own names, and protects the answers to others.

    The check of origins does not protect against DNS rebinding: a foreign page can make its own domain resolve to this
    machine, and then its requests have the same origin as the page.
    """

    login_url = "/"  # required by Bokeh, not used
    get_login_url = get_user = login_handler = logout_url = logout_handler = None

    def __init__(self, hosts: Sequence[str]) -> None:
        self._hosts = frozenset(hosts)
        super().__init__()

    async def get_user_async(self, request: RequestHandler) -> str:
        """Check the host of a request; called by Bokeh before each answer. There is only one user."""
        host = request.request.host.lower()
        if (host if ":" in host else f"{host}:80") not in self._hosts:
            raise HTTPError(403)
        protect(request)
        return "user"


def make_server(registry: SessionRegistry, host: str = "127.0.0.1", port: int = 5006) -> Server:
    """Make a server that listens and is not running yet.

    Parameters
    ----------
    registry
        The pages, and what each begins with.
    host
        The address to listen on.
    port
        The port; 0 for any free one.

    Returns
    -------
    bokeh.server.server.Server
        To be passed to `run`.

    Raises
    ------
    InputError
        If the host or the port cannot be used.
    """
    port = usable_port(host, port)
    names = allowed_hosts(host, port)
    patterns = [
        (r"/upload/([\w-]+)/(\w+)", UploadHandler, {"registry": registry}),
        (r"/download/([\w-]+)", DownloadHandler, {"registry": registry}),
    ]
    return Server(
        {"/": Application(FunctionHandler(registry.open_page))},
        address=host or None,
        port=port,
        allow_websocket_origin=names,
        auth_provider=HostCheck(names),
        extra_patterns=patterns,
        unused_session_lifetime_milliseconds=SESSION_TIMEOUT,
        check_unused_sessions_milliseconds=TIMEOUT_CHECK,
    )


def allowed_hosts(host: str, port: int) -> list[str]:
    """Names with ports under which the server may be called, and whose pages may connect to it.

    >>> allowed_hosts("127.0.0.1", 5006)
    ['127.0.0.1:5006', 'localhost:5006']
    """
    if host in LOCAL_HOSTS:
        names = ["127.0.0.1", "localhost"]
    elif host in ANY_HOST:
        names = ["127.0.0.1", "localhost", *_machine_names()]
    elif ":" in host:  # Bokeh takes what follows the first colon for a port
        raise InputError(f"--host {host} was given; of IPv6 addresses, only ::1 and :: can be used.")
    else:
        names = [host]
    return [f"{name.lower()}:{port}" for name in dict.fromkeys(names)]


def _machine_names() -> list[str]:
    name = socket.gethostname()
    try:
        found, more, addresses = socket.gethostbyname_ex(name)
    except OSError:
        return [name]
    return [name, found, *more, *addresses]


def usable_port(host: str, port: int) -> int:
    """The port, or a free one if it is 0; an `InputError` if it cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family) as probe:
            return int(probe.getsockname()[1])
    except OSError as error:
        raise InputError(
            f"Port {port} of {host} cannot be used: {error.strerror or error}. Choose another one with --port, or 0 "
            "for any free port; the usual --host is 127.0.0.1."
        ) from error


def run(server: Server, registry: SessionRegistry, ready: Callable[[], object]) -> None:
    """Run the server until Ctrl-C is pressed or a signal requests its end, then delete the files of all pages.

    Parameters
    ----------
    server
        As made by `make_server`.
    registry
        Its pages.
    ready
        Called once, when the server can answer.
    """
    remove_stale_folders()
    server.start()
    server.io_loop.add_callback(ready)
    registry.warm_up.start()
    try:
        with stopped_by_signals(server):
            server.io_loop.start()
    except KeyboardInterrupt:
        pass
    finally:
        registry.close()
        server.stop()


@contextmanager
def stopped_by_signals(server: Server) -> Iterator[None]:
    """Let signals that would end the process end the loop of the server instead."""

    def stop(*_: object) -> None:
        server.io_loop.add_callback_from_signal(server.io_loop.stop)

    known = [getattr(signal, name) for name in STOP_SIGNALS if hasattr(signal, name)]
    before = {one: signal.getsignal(one) for one in known}
    taken = {one: action for one, action in before.items() if action is not signal.SIG_IGN}  # ignored under nohup
    for one in taken:
        signal.signal(one, stop)
    try:
        yield
    finally:
        for one, action in taken.items():
            signal.signal(one, action)


def address_of(server: Server) -> str:
    """The URL of the page, as a browser takes it."""
    host: str = server.address or ""
    return f"http://{BROWSER_HOSTS.get(host, host)}:{server.port}/"
