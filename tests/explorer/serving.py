"""The explorer's server in a thread, for tests."""

import asyncio
import threading
from contextlib import contextmanager
from typing import Any, NamedTuple

from netgiven.explorer.server import Desk, address_of, make_server


class Served(NamedTuple):
    """Where a server is, who is there, and the server."""

    url: str
    desk: Desk
    server: Any


@contextmanager
def served(opened=None, most_megabytes=1.0, host="127.0.0.1"):
    """A server for the length of a `with` block."""
    loop, ready, found = asyncio.new_event_loop(), threading.Event(), []

    def work():
        asyncio.set_event_loop(loop)
        desk = Desk(opened, most_megabytes, threads=1)
        server = make_server(desk, host, port=0)
        server.start()
        found.append(Served(address_of(server), desk, server))
        ready.set()
        loop.run_forever()

    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(60)
    try:
        yield found[0]
    finally:
        asyncio.run_coroutine_threadsafe(_stop(found[0]), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()


async def _stop(one):
    one.server.stop(wait=False)
    for ticket in list(one.desk.views):
        one.desk.say_goodbye(ticket)
    await asyncio.sleep(0.05)
