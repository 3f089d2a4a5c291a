"""The Bokeh server of the explorer: one page, uploads and downloads, restricted to its own host names."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from bokeh.application import Application
from bokeh.application.handlers import FunctionHandler
from bokeh.document import Document
from bokeh.server.auth_provider import AuthProvider
from bokeh.server.server import Server
from jinja2 import Template
from tornado.http1connection import HTTP1Connection
from tornado.web import HTTPError, RequestHandler, stream_request_body

from netgiven.errors import InputError
from netgiven.explorer.controller import Controller
from netgiven.explorer.files import MEGABYTE, Downloads, Uploads
from netgiven.explorer.messages import to_json
from netgiven.explorer.session import OpenedNetwork, Session
from netgiven.maps.bokeh_figure import browser_file

SHARED_SCRIPTS = ("dom", "view", "pick", "crowd", "overlay", "panels", "legend", "search")  # also in exported maps
SCRIPTS = ("story", "motion", "node_table", "guide", "steps", "sections", "cards", "new_node", "explorer")
SESSION_TIMEOUT, TIMEOUT_CHECK = 4_000, 1_000  # milliseconds without a connected page until a session ends
CHUNK_SIZE = 1 << 20
LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
ANY_HOST = ("0.0.0.0", "::", "")
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
    """

    def __init__(
        self, opened: OpenedNetwork | None = None, max_megabytes: float = 20, threads: int | None = None
    ) -> None:
        self.opened, self.max_megabytes, self.threads = opened, max_megabytes, threads
        self.downloads = Downloads()
        self.controllers: dict[str, Controller] = {}

    def open_page(self, document: Document) -> None:
        """Fill the document of a new page and register its controller."""
        token, uploads = secrets.token_urlsafe(24), Uploads(self.max_megabytes)
        controller = Controller(document, Session(self.threads), uploads, self.downloads.add)
        controller.channel.upload = to_json({"token": token, "max_megabytes": self.max_megabytes})
        self.controllers[token] = controller
        document.title = "netgiven explorer"
        document.template = page_template()
        document.template_variables.update(page_parts())
        document.on_session_destroyed(lambda context: self.close_page(token))
        if self.opened is not None:
            controller.open(self.opened, can_add_nodes=False)

    def close_page(self, token: str) -> None:
        """Stop the work of a page that was closed and delete its files."""
        controller = self.controllers.pop(token)
        self.downloads.remove_folder(controller.uploads.folder)
        controller.close()


def page_file(name: str) -> str:
    """Text of a file in the folder `page`."""
    return (resources.files("netgiven.explorer") / "page" / name).read_text(encoding="utf-8")


def page_template() -> Template:
    """The HTML around the maps."""
    template: Template = Template(page_file("explorer.html"))
    return template


def page_parts() -> dict[str, str]:
    """Style and scripts, which are embedded so that the page requests no further files of ours."""
    scripts = [browser_file(f"{name}.js") for name in SHARED_SCRIPTS] + [page_file(f"{name}.js") for name in SCRIPTS]
    return {"style": page_file("explorer.css"), "script": "\n".join(scripts)}


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
        self.controller, self.kind = controller, self.path_args[1]
        self.label = Path(unquote(self.request.headers.get("X-File-Name", ""))).name
        connection = self.request.connection
        assert isinstance(connection, HTTP1Connection)
        connection.set_max_body_size(controller.uploads.max_bytes + MEGABYTE)
        try:
            controller.uploads.check(self.kind, self.label, int(self.request.headers.get("Content-Length", 0)))
            self.target = controller.uploads.target(self.kind, self.label)
            self.sink = self.target.open("wb")
        except InputError as error:
            self.error = str(error)

    def data_received(self, chunk: bytes) -> None:
        """Write one chunk."""
        if self.sink is not None:
            self.sink.write(chunk)

    def post(self, *_: str) -> None:
        """Answer with an error message, or with an empty text if the file was accepted."""
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        if self.sink is not None:
            self.sink.close()
            self.controller.open_upload(self.kind, self.label, self.target)
        self.finish(self.error)

    def on_connection_close(self) -> None:
        """Close the file if the page disconnects during the upload."""
        if self.sink is not None:
            self.sink.close()


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
    """Refuses requests whose Host header is not one of the server's own names.

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


def run(server: Server, ready: Callable[[], object]) -> None:
    """Run the server until Ctrl-C is pressed.

    Parameters
    ----------
    server
        As made by `make_server`.
    ready
        Called once, when the server can answer.
    """
    server.start()
    server.io_loop.add_callback(ready)
    try:
        server.io_loop.start()
    except KeyboardInterrupt:
        server.stop()


def address_of(server: Server) -> str:
    """The URL of the page, as a browser takes it."""
    host: str = server.address or ""
    return f"http://{BROWSER_HOSTS.get(host, host)}:{server.port}/"
