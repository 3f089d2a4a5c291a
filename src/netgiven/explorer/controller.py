"""The controller of one page: requests of the page change its session, and the page shows the result.

Everything here runs on the event loop of the server; slow work is a background task.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from bokeh.core.validation import silence
from bokeh.core.validation.warnings import EMPTY_LAYOUT
from bokeh.document import Document
from bokeh.models import CustomJS, Row

from netgiven.analysis.active_learning import Strategy
from netgiven.analysis.groups import Groups
from netgiven.embedding import Embedding
from netgiven.errors import InputError
from netgiven.explorer import messages
from netgiven.explorer.background import BackgroundTasks
from netgiven.explorer.figures import Canvas, aligned, plane
from netgiven.explorer.files import FILE_NAMES, Content, Uploads, guarded, write_file
from netgiven.explorer.messages import Channel, Message, Request, get_integer, get_integers, to_json
from netgiven.explorer.saved import SavedSession, restore, save_session
from netgiven.explorer.session import AnsweredMap, OpenedNetwork, Session, answer_table, refit_with_answers
from netgiven.explorer.story import (
    FOUND,
    MAX_NODES_UNREQUESTED,
    group_values,
    groups_message,
    groups_of,
    ledger_message,
    strip_message,
)
from netgiven.explorer.tables import ORDERS, STRATEGIES, SURPRISE, group_column
from netgiven.maps.marks import Marks, first_with_groups, make_marks
from netgiven.network import Network
from netgiven.types import Float32Array

FRAME_MILLISECONDS = 80  # between two updates of the page during a fit


class Controller:
    """One page and its session.

    Parameters
    ----------
    document
        The Bokeh document of the page.
    session
        The state of the page.
    uploads
        Files that the page sends.
    add_download
        Offers a file for download, and returns its token.
    find_session
        The session of a page that was closed, by the token of the page.
    """

    def __init__(
        self,
        document: Document,
        session: Session,
        uploads: Uploads,
        add_download: Callable[[Path], str],
        find_session: Callable[[str], Session | None] = lambda token: None,
    ) -> None:
        self.document, self.session, self.uploads, self._add_download = document, session, uploads, add_download
        self._find_session = find_session
        self.channel = Channel(name="channel")
        self.row = Row(name="maps", sizing_mode="stretch_both", spacing=0, tags=[self.channel])
        self.canvas: Canvas | None = None
        self.colour: str | None = None
        self.strategy: Strategy = STRATEGIES[0]
        self.order = ORDERS[0]
        self._aligned: list[Float32Array] = []  # where the nodes of each map so far are drawn
        self._groups: list[Groups] = []  # of the maps on the page, once they are found
        self._tasks = BackgroundTasks(document, self.show_error)
        self._error_count = 0
        self._first_frame = False  # whether the next frame is the first of a fit, to which nodes glide
        self._timer: object = None
        self._actions: dict[str, Callable[[Request], None]] = {
            "example": lambda request: self.open_example(),
            "resume": lambda request: self._resume(str(request.get("token"))),
            "choose": lambda request: self._choose(get_integers(request, "indices")),
            "fit": self._fit,
            "stop": lambda request: self._stop(),
            "select": lambda request: self._select(get_integers(request, "numbers")),
            "colour": self._recolour,
            "close": lambda request: self._close_map(get_integer(request, "index")),
            "show": lambda request: self._show_history(get_integers(request, "places")),
            "tell": self._give,
            "groups": lambda request: self._show_groups(requested=True),
            "select_group": self._select_group,
            "tell_groups": lambda request: self._give_groups(get_integer(request, "index")),
            "sort": self._sort,
            "table": lambda request: self._show_table(),
            "answer": self._answer,
            "refit": lambda request: self._refit(),
            "overview": lambda request: self._show_details(requested=True),
            "next_pairs": self._request_next_pairs,
            "new_node": self._request_new_node,
            "fairness": lambda request: self._request_fairness(),
            "file": self._request_file,
        }
        self.channel.on_change("request", lambda name, old, text: self._tasks.run("page", partial(self._handle, text)))
        silence(EMPTY_LAYOUT)  # before the first map
        document.add_root(self.row)
        begin = CustomJS(args={"channel": self.channel, "row": self.row}, code="netgiven.explorer.begin(channel, row)")
        document.js_on_event("document_ready", begin)

    # ---- requests --------------------------------------------------------------------------------------------------

    def _handle(self, text: str) -> None:
        action, request = messages.parse_request(text)
        if action not in self._actions:
            raise InputError("The page sent an unknown request; reload it.")
        self._actions[action](request)

    def show_error(self, where: str, message: str) -> None:
        """Show an error below the step `network` or `fit`, or at the top of the `page`; "" removes it."""
        self._error_count += 1  # the same message twice is shown twice
        self.channel.error = to_json({"where": where, "message": message, "count": self._error_count})

    # ---- step 1: the network ---------------------------------------------------------------------------------------

    def open_example(self) -> None:
        """Open the synthetic company network."""
        from netgiven.datasets import company

        self.uploads.clear()
        self.open(OpenedNetwork("Example: a company", company()), can_add_nodes=False)

    def open_upload(self, kind: str, label: str, sent: Path) -> None:
        """Read an uploaded file, and open its content."""
        title = label if kind == "network" else self.session.title

        def finish(found: Content) -> None:
            if isinstance(found, SavedSession):
                self.open_saved(found)
            else:
                self.open(OpenedNetwork.of(title, found), isinstance(found, Network))

        self._tasks.submit("network", partial(self.uploads.add, kind, label, sent), finish)

    def open(self, opened: OpenedNetwork, can_add_nodes: bool = True) -> None:
        """Show a network, and its map if it has one.

        Parameters
        ----------
        opened
            The network or embedding.
        can_add_nodes
            Whether the page offers to upload a node table.
        """
        self.session.open(opened)
        self.colour = first_with_groups(opened.network)
        self._stop_timer()
        self.show_error("network", "")
        self.channel.names = opened.names_as_json
        self.channel.network = to_json(messages.describe_network(self.session, can_add_nodes))
        self._show_session()

    def open_saved(self, saved: SavedSession) -> None:
        """Go on with a session that was saved."""
        session = Session(self.session.threads)
        restore(session, saved)
        self.adopt(session)

    def adopt(self, session: Session, colour: str | None = None) -> None:
        """Go on with a session: one of a page that was reloaded, or one that was saved."""
        self.session.close()
        self.session = session
        self.show_error("network", "")
        assert session.network is not None
        self.colour = colour or first_with_groups(session.network)
        self.channel.names = to_json([str(name) for name in session.network.nodes])
        self.channel.network = to_json(messages.describe_network(session, can_add_nodes=False))
        self._show_session()

    def _show_session(self) -> None:
        self._show_chosen()
        self._aligned = []
        for embedding in self.session.history:
            self._add_aligned(embedding, self._aligned[-1:])
        self.canvas = None
        self._show_maps()

    def _add_aligned(self, embedding: Embedding, before: list[Float32Array]) -> None:
        """Remember where a map is drawn: rotated to match what was drawn before."""
        drawn = plane(embedding)
        same = bool(before) and len(before[0]) == len(drawn)
        self._aligned.append(aligned(drawn, before[0]) if same else drawn)

    def _resume(self, token: str) -> None:
        """Go on with the session of a page that was reloaded, if this one has not begun with anything."""
        found = self._find_session(token)
        if found is not None and not self.session.history:
            self.adopt(found.copy())

    # ---- step 2: the prior -----------------------------------------------------------------------------------------

    def _choose(self, indices: list[int]) -> None:
        self.session.choose(indices)
        self._show_knowledge()

    def _show_knowledge(self) -> None:
        self._show_chosen()
        self._show_ledger()

    def _show_chosen(self) -> None:
        self.channel.knowledge = to_json(messages.describe_knowledge(self.session))

    def _show_ledger(self) -> None:
        """Compute what each given thing explains; the page keeps the last answer until then."""
        network, maps = self.session.network, list(self.session.maps)
        if network is None:
            return

        def show(message: Message) -> None:
            self.channel.ledger = to_json(message)

        self._tasks.submit_latest("ledger", partial(ledger_message, network, self.session.knowledge, maps), show)

    def _give(self, request: Request) -> None:
        """Give one thing more, and fit the map without it.

        The ledger waits for the map: it would fit the same prior at the same time, and take twice as long.
        """
        self.session.give(str(request.get("knowledge")))
        self._tasks.cancel("ledger")
        self._show_chosen()
        self._fit(request)

    # ---- groups ----------------------------------------------------------------------------------------------------

    def _show_groups(self, requested: bool = False) -> None:
        """Find the groups of the maps on the page, and draw their names."""
        self._groups, network = [], self.session.network
        maps, planes = list(self.session.maps), self._planes()
        if network is None or not maps or self.session.fitting:
            self.channel.groups = to_json({})
            return
        if network.node_count > MAX_NODES_UNREQUESTED and not requested:
            self.channel.groups = to_json({"offer": True})
            return

        def work() -> list[Groups]:
            return [groups_of(one, network) for one in maps]

        def show(found: list[Groups]) -> None:
            self._groups = found
            self.channel.groups = to_json(groups_message(found, planes))

        self.channel.groups = to_json({"searching": True})
        self._tasks.submit_latest("groups", work, show)

    def _group(self, index: int) -> Groups:
        if not 0 <= index < len(self._groups):
            raise InputError("The groups of this map are not known yet; wait a moment.")
        return self._groups[index]

    def _select_group(self, request: Request) -> None:
        groups, number = self._group(get_integer(request, "index")), get_integer(request, "number")
        self._select(np.flatnonzero(groups.numbers == number).tolist())

    def _give_groups(self, index: int) -> None:
        """Make the groups of a map a column, give it, and go on without it."""
        groups = self._group(index)
        if not len(groups):
            raise InputError("No groups were found in this map, so there is nothing to give.")
        column = self.session.add_column(FOUND, group_values(groups))
        self.channel.network = to_json(messages.describe_network(self.session, can_add_nodes=False))
        self._give({"knowledge": f"blocks:{column}", "reach": None, "dimensions": self.session.maps[index].dimensions})

    # ---- step 3: the fit -------------------------------------------------------------------------------------------

    def _fit(self, request: Request) -> None:
        reach, dimensions = messages.get_number(request, "reach"), get_integer(request, "dimensions")
        self._tasks.run("fit", partial(self._start_fit, reach, dimensions, request.get("beside") is True))

    def _start_fit(self, reach: float | None, dimensions: int, beside: bool) -> None:
        self.session.fit(reach, dimensions, beside)
        self.show_error("fit", "")
        self._first_frame = True
        self.session.select([])
        self._select_in_maps()
        self._show_fit("")
        self.channel.details = to_json({})
        self._timer = self.document.add_periodic_callback(self._update_fit, FRAME_MILLISECONDS)

    def _update_fit(self) -> None:
        """Show the current state of a fit; called by the timer."""
        job = self.session.job
        if job is None:
            return
        if self.channel.drawn_frame == self.channel.frame:  # a page that draws slowly receives fewer frames
            frame = job.frame()
            if frame is not None:
                self._show_frame(frame)
        if job.running:
            self._show_fit("")
        else:
            self._stop_timer()
            self._tasks.run("fit", self._finish_fit)

    def _show_frame(self, frame: Float32Array) -> None:
        index, planes = self.session.fit_index, self._planes()
        if index == 0:
            planes = planes[:1]
        if len(planes) <= index:
            self._draw([*planes, frame if not planes else aligned(frame, planes[0])])
        else:
            assert self.canvas is not None
            if len(self.canvas.planes) > index + 1:
                self._draw([aligned(frame, planes[index])])
            else:
                self.channel.glides += int(self._first_frame)
                self.canvas.move(index, aligned(frame, planes[0] if index else planes[index]))
        self._first_frame = False
        self.channel.frame += 1

    def _planes(self) -> list[Float32Array]:
        return [] if self.canvas is None else self.canvas.planes

    def _finish_fit(self) -> None:
        """Show the new map, or what was there before if the fit failed."""
        before = self._planes()
        try:
            message = self.session.finish()
        except InputError:
            self._show_maps()
            raise
        for embedding in self.session.history[len(self._aligned) :]:
            self._add_aligned(embedding, before)
        self._show_maps(message)

    def _stop(self) -> None:
        self.session.stop()
        self._show_fit("")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self.document.remove_periodic_callback(self._timer)
            self._timer = None

    def _show_fit(self, message: str) -> None:
        self.channel.fit = to_json(messages.describe_fit(self.session, message))

    def _close_map(self, index: int) -> None:
        self.session.close_map(index)
        self._show_chosen()
        self._show_maps()

    def _show_history(self, places: list[int]) -> None:
        self.session.show(places)
        self.session.select([])
        self._show_chosen()
        self._show_maps()

    # ---- the maps --------------------------------------------------------------------------------------------------

    def _show_maps(self, message: str = "") -> None:
        """Show the maps of the session, and update everything that depends on them."""
        self._draw([self._aligned[place] for place in self.session.shown])
        self.channel.strip = to_json(strip_message(self.session.history, self._aligned, self.session.shown))
        self._show_fit(message)
        self._show_ledger()
        self._show_details()
        self._show_groups()
        self._show_next_pairs()
        self._offer_fairness()

    def _draw(self, planes: list[Float32Array]) -> None:
        """Move the nodes to new places, if as many maps of the same nodes are there already; or draw all again."""
        network = self.session.network
        if network is None or not planes:
            self.canvas, self.row.children = None, []
        elif self.canvas is not None and self.canvas.can_show(planes):
            if self.colour == SURPRISE:  # another map, other numbers
                self._show_marks(self._marks(self.colour))
            self.channel.glides += 1
            for number, there in enumerate(planes):
                self.canvas.move(number, there)
            self._select_in_maps()
        else:
            self._draw_again(network, planes)

    def _draw_again(self, network: Network, planes: list[Float32Array]) -> None:
        marks = self._marks(self.colour)
        self.channel.legend = to_json(marks.legend())
        self.canvas = Canvas(network, planes, marks)
        self.canvas.drawing.nodes.selected.on_change("indices", self._selected)
        self._select_in_maps()
        self.row.children = self.canvas.figures

    def _marks(self, colour: str | None) -> Marks:
        """Marks by a column of the session's network, which may have more columns than those of its maps."""
        network, maps = self.session.network, self.session.maps
        assert network is not None
        if colour == SURPRISE and SURPRISE not in network.columns and maps:
            network = network.with_columns({SURPRISE: maps[0].node_surprise().to_numpy()})
        return make_marks(network, colour)

    def _show_marks(self, marks: Marks) -> None:
        assert self.canvas is not None
        self.canvas.colour(marks)
        self.channel.legend = to_json(marks.legend())

    def _recolour(self, request: Request) -> None:
        colour = request.get("column")
        if self.session.network is None or self.canvas is None:
            return
        marks = self._marks(colour if isinstance(colour, str) else None)
        self.colour = marks.title
        self._show_marks(marks)
        self._offer_fairness()

    # ---- the selection ---------------------------------------------------------------------------------------------

    def _selected(self, name: str, old: list[int], indices: list[int]) -> None:
        """Nodes were selected in a map; called by Bokeh."""
        if sorted(indices) != sorted(self.session.selection.tolist()):
            self._tasks.run("page", partial(self._select, list(indices)))

    def _select(self, numbers: list[int]) -> None:
        self.session.select(numbers)
        self._select_in_maps()
        if not self.session.fitting:
            self._show_details()

    def _select_in_maps(self) -> None:
        if self.canvas is not None:
            self.canvas.drawing.nodes.selected.indices = self.session.selection.tolist()

    def _show_details(self, requested: bool = False) -> None:
        """Compute the details of the selection in the background, and show them if it is still the same."""
        maps, selection, threads = list(self.session.maps), self.session.selection, self.session.threads
        if maps:
            work = partial(messages.details_message, maps, selection, threads, requested, self.order)
            self._tasks.submit_latest("details", work, self._set_details)
        else:
            self._tasks.cancel("details")
            self.channel.details = to_json({})

    def _set_details(self, message: Message) -> None:
        if not self.session.fitting:
            self.channel.details = to_json(message)

    def _sort(self, request: Request) -> None:
        """Sort the likeliest missing links by something else."""
        found = [order for order in ORDERS if order == request.get("order")]
        if not found:
            raise InputError(f"Links are sorted by one of {', '.join(ORDERS)}; choose one of these.")
        (self.order,) = found
        self._show_details(requested=True)

    def _show_table(self) -> None:
        """Send the table of nodes."""
        network, maps = self.session.network, list(self.session.maps)
        if network is None or not maps:
            raise InputError("There is no map yet; fit one first.")

        def show(message: Message) -> None:
            self.channel.table = to_json(message)

        self._tasks.submit_latest("table", partial(messages.table_message, network, maps[0]), show)

    # ---- pairs to check, new nodes, fairness -----------------------------------------------------------------------

    def _answer(self, request: Request) -> None:
        """Remember whether a pair is linked; nothing is fitted yet."""
        self.session.answer(get_integers(request, "numbers"), str(request.get("answer")))
        self._show_answers()

    def _show_answers(self, text: str = "") -> None:
        self.channel.answers = to_json(messages.describe_answers(self.session, text))

    def _refit(self) -> None:
        """Fit the first map again with the answers, from where its nodes are."""
        network, maps = self.session.network, self.session.maps
        if network is None or not maps or self.session.fitting:
            raise InputError("Answers change a map; fit one first, and wait until it is there.")
        work = partial(refit_with_answers, maps[0], network, list(self.session.answers))

        def show(found: AnsweredMap) -> None:
            before = self._planes()
            self.session.take_answers(found.embedding)
            self._add_aligned(found.embedding, before)
            self.channel.network = to_json(messages.describe_network(self.session, can_add_nodes=False))
            self._show_maps()
            self._show_answers(found.text)

        self._tasks.submit("page", work, show)

    def _request_next_pairs(self, request: Request) -> None:
        found = [strategy for strategy in STRATEGIES if strategy == request.get("strategy")]
        if not found:
            raise InputError(f"Pairs to check are ranked by one of {', '.join(STRATEGIES)}; choose one of these.")
        (self.strategy,) = found
        self._show_next_pairs(requested=True)

    def _show_next_pairs(self, requested: bool = False) -> None:
        def show(message: Message) -> None:
            self.channel.next_pairs = to_json(message)

        work = partial(messages.next_pairs_message, list(self.session.maps), self.strategy, requested)
        self._tasks.submit_latest("next_pairs", work, show)

    def _request_new_node(self, request: Request) -> None:
        """Show a new node that is linked to the selection, until something else is selected."""
        values = messages.get_integers_by_name(request, "values")
        maps, planes, selection = list(self.session.maps), list(self._planes()), self.session.selection
        if not maps or not len(selection) or self.session.fitting:
            raise InputError("A new node is linked to the nodes selected on a map; select some first.")
        work = partial(messages.new_node_message, maps, planes, selection, values)
        self._tasks.submit_latest("details", work, self._set_details)

    def _offer_fairness(self) -> None:
        """Remove results for other maps or another column, and offer to compute new ones."""
        self._tasks.cancel("fairness")
        self.channel.fairness = to_json(messages.offer_fairness(self._group_column()))

    def _request_fairness(self) -> None:
        maps, column = list(self.session.maps), self._group_column()
        if not maps or column is None:
            raise InputError("Fairness compares groups; fit a map, and colour it by a column with 2 to 32 groups.")

        def show(message: Message) -> None:
            self.channel.fairness = to_json(message)

        self._tasks.submit_latest("fairness", partial(messages.fairness_message, maps, column), show)

    def _group_column(self) -> str | None:
        return None if self.session.network is None else group_column(self.session.network, self.colour)

    # ---- files -----------------------------------------------------------------------------------------------------

    def _request_file(self, request: Request) -> None:
        """Write a file in the background, and send its address to the page."""
        maps, kind, index = list(self.session.maps), str(request.get("kind")), get_integer(request, "index")
        if not 0 <= index < len(maps):
            raise InputError("There is no map to download yet; fit one first.")
        if kind in ("session", "answers"):
            self._tasks.submit("page", partial(self._write_session_file, kind), self._send_file)
            return
        work = partial(
            write_file, kind, maps, index, self.session.selection, self.uploads.folder,
            title=self.session.title, colour=self.colour, threads=self.session.threads,
        )  # fmt: skip
        self._tasks.submit("page", work, self._send_file)

    def _write_session_file(self, kind: str) -> Path:
        path = self.uploads.folder / FILE_NAMES[kind]
        if kind == "session":
            save_session(self.session, path)
            return path
        assert self.session.network is not None
        answers = [*self.session.answered, *self.session.answers]
        guarded(answer_table(self.session.network, answers)).to_csv(path, index=False)
        return path

    def _send_file(self, path: Path) -> None:
        self.channel.file = to_json({"token": self._add_download(path), "name": path.name})

    def close(self) -> None:
        """Stop all work and delete all files. The document is closed already."""
        self._tasks.close()
        self.session.close()
        self.uploads.close()
