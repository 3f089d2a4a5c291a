"""A visit and its page, tied together: wishes of the page change the visit, and the page is told what became of it.

Everything here runs on the server's loop; whatever takes time is an errand, done in a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bokeh.core.validation import silence
from bokeh.core.validation.warnings import EMPTY_LAYOUT
from bokeh.document import Document
from bokeh.models import CustomJS, Row

from netgiven.analysis.active_learning import Strategy
from netgiven.errors import InputError
from netgiven.explorer import answering, wording
from netgiven.explorer.details import find_details, find_fairness, find_newcomer, find_next
from netgiven.explorer.drawing import Canvas, aligned, plane
from netgiven.explorer.errands import Errands
from netgiven.explorer.files import write_file
from netgiven.explorer.post import (
    Post,
    number_or_none,
    read,
    whole_number,
    whole_numbers,
    whole_numbers_by_name,
    written,
)
from netgiven.explorer.questions import STRATEGIES, column_of_groups
from netgiven.explorer.uploads import Uploads
from netgiven.explorer.visit import Opened, Visit
from netgiven.maps.marks import first_with_groups, make_marks
from netgiven.network import Network
from netgiven.types import Float32Array

FRAME_MILLISECONDS = 80  # between two looks at a fit


class View:
    """One visitor's page."""

    def __init__(self, document: Document, visit: Visit, uploads: Uploads, offer: Callable[[Path], str]) -> None:
        self.document, self.visit, self.uploads, self._offer = document, visit, uploads, offer
        self.post = Post(name="post")
        self.row = Row(name="maps", sizing_mode="stretch_both", spacing=0, tags=[self.post])
        self.canvas: Canvas | None = None
        self.colour: str | None = None
        self.strategy: Strategy = STRATEGIES[0]
        self._errands = Errands(document, self.complain)
        self._problems = 0
        self._timer: Any = None
        self._wishes: dict[str, Callable[[dict[str, Any]], None]] = {
            "example": lambda wish: self.open_example(),
            "choose": lambda wish: self._choose(whole_numbers(wish, "places")),
            "fit": self._fit,
            "stop": lambda wish: self._stop(),
            "select": lambda wish: self._select(whole_numbers(wish, "numbers")),
            "colour": self._recolour,
            "close": lambda wish: self._close_map(whole_number(wish, "place")),
            "overview": lambda wish: self._show_details(wanted=True),
            "next": self._ask_next,
            "newcomer": lambda wish: self._ask_newcomer(whole_numbers_by_name(wish, "values")),
            "fairness": lambda wish: self._ask_fairness(),
            "file": self._file,
        }
        self.post.on_change("asked", lambda name, before, asked: self._errands.guarded("page", self._answer, asked))
        silence(EMPTY_LAYOUT)  # before the first map
        document.add_root(self.row)
        begin = CustomJS(args={"post": self.post, "row": self.row}, code="netgiven.explorer.begin(post, row)")
        document.js_on_event("document_ready", begin)

    # ---- wishes ----------------------------------------------------------------------------------------------------

    def _answer(self, asked: str) -> None:
        wish = read(asked)
        if wish["ask"] not in self._wishes:
            raise InputError("The page asked for something that is not known here; load it again.")
        self._wishes[wish["ask"]](wish)

    def complain(self, where: str, sentence: str) -> None:
        """Show a sentence: under the step `network` or `fit`, or above the `page`."""
        self._problems += 1
        self.post.problem = written({"where": where, "sentence": sentence, "count": self._problems})

    # ---- step 1: the network ---------------------------------------------------------------------------------------

    def open_example(self) -> None:
        """The company that comes with the program."""
        from netgiven.datasets import company

        self.uploads.forget()
        self.open(Opened("Example: a company", company()), can_add_nodes=False)

    def take_upload(self, part: str, label: str, sent: Path) -> None:
        """A file has arrived: read it, and open what it holds."""
        title, take = label if part == "network" else self.visit.title, partial(self.uploads.take, part, label, sent)
        self._errands.then(
            "network", take, lambda found: self.open(Opened.of(title, found), isinstance(found, Network))
        )

    def open(self, opened: Opened, can_add_nodes: bool = True) -> None:
        """Look at a network; with its map, if it has one."""
        self.visit.open(opened)
        self.colour = first_with_groups(opened.network)
        self._stop_looking()
        self.complain("network", "")
        self.post.names = written([str(name) for name in opened.network.nodes])
        self.post.network = written(wording.network_told(self.visit, can_add_nodes))
        self.post.knowledge = written(wording.knowledge_told(self.visit))
        self._show_maps([plane(embedding) for embedding in self.visit.maps])

    # ---- step 2: what is known -------------------------------------------------------------------------------------

    def _choose(self, places: list[int]) -> None:
        self.visit.choose(places)
        self.post.knowledge = written(wording.knowledge_told(self.visit))

    # ---- step 3: the fit -------------------------------------------------------------------------------------------

    def _fit(self, wish: dict[str, Any]) -> None:
        reach, dimensions = number_or_none(wish, "reach"), whole_number(wish, "dimensions")
        self._errands.guarded("fit", self._begin, reach, dimensions, wish.get("beside") is True)

    def _begin(self, reach: float | None, dimensions: int, beside: bool) -> None:
        self.visit.fit(reach, dimensions, beside)
        self.complain("fit", "")
        self.visit.select([])
        self._select_in_maps()
        self._show_fit("")
        self.post.details = written({})
        self._timer = self.document.add_periodic_callback(self._look, FRAME_MILLISECONDS)

    def _look(self) -> None:
        """See how far the fit is."""
        job = self.visit.job
        if job is None:
            return
        if self.post.drawn == self.post.frame:  # a page that is slow to draw gets fewer frames
            frame = job.frame()
            if frame is not None:
                self._show_frame(frame)
        if job.running:
            self._show_fit("")
        else:
            self._stop_looking()
            self._errands.guarded("fit", self._finish)

    def _show_frame(self, frame: Float32Array) -> None:
        place = self.visit.place
        planes = self._planes()[: place + 1] if place == 0 else self._planes()
        if len(planes) <= place:
            self._draw([*planes, frame if not planes else aligned(frame, planes[0])])
        else:
            assert self.canvas is not None
            if len(self.canvas.planes) > place + 1:
                self._draw([aligned(frame, planes[place])])
            else:
                self.canvas.move(place, aligned(frame, planes[0] if place else planes[place]))
        self.post.frame += 1

    def _planes(self) -> list[Float32Array]:
        return [] if self.canvas is None else self.canvas.planes

    def _finish(self) -> None:
        """The fit has ended: the map is there, or things are as they were before."""
        before = self._planes()
        try:
            message = self.visit.finish()
        except InputError:
            self._show_maps(self._fitted_planes([]))
            raise
        self._show_maps(self._fitted_planes(before), message)

    def _fitted_planes(self, before: list[Float32Array]) -> list[Float32Array]:
        """Where the maps of the visit lie, turned like what was seen last, the second one like the first."""
        planes = [plane(embedding) for embedding in self.visit.maps]
        if planes and before and len(planes[0]) == len(before[0]):
            planes[0] = aligned(planes[0], before[0])
        return [*planes[:1], *(aligned(other, planes[0]) for other in planes[1:])]

    def _stop(self) -> None:
        self.visit.stop()
        self._show_fit("")

    def _stop_looking(self) -> None:
        if self._timer is not None:
            self.document.remove_periodic_callback(self._timer)
            self._timer = None

    def _show_fit(self, message: str) -> None:
        self.post.fit = written(wording.fit_told(self.visit, message))

    def _close_map(self, place: int) -> None:
        self.visit.close_map(place)
        self._show_maps(self._fitted_planes([]))

    # ---- the maps --------------------------------------------------------------------------------------------------

    def _show_maps(self, planes: list[Float32Array], message: str = "") -> None:
        """The maps of the visit are other ones: draw them, and tell what is told of them."""
        self._draw(planes)
        self._show_fit(message)
        self._show_details()
        self._show_next()
        self._offer_fairness()

    def _draw(self, planes: list[Float32Array]) -> None:
        network = self.visit.network
        if network is None or not planes:
            self.canvas, self.row.children = None, []
            return
        marks = make_marks(network, self.colour)
        self.post.legend = written(marks.legend())
        self.canvas = Canvas(network, planes, marks)
        self.canvas.drawing.nodes.selected.on_change("indices", self._selected)
        self._select_in_maps()
        self.row.children = self.canvas.figures

    def _recolour(self, wish: dict[str, Any]) -> None:
        colour = wish.get("column")
        if self.visit.network is None or self.canvas is None:
            return
        marks = make_marks(self.visit.network, colour if isinstance(colour, str) else None)
        self.colour = marks.title
        self.canvas.colour(marks)
        self.post.legend = written(marks.legend())
        self._offer_fairness()

    # ---- the selection ---------------------------------------------------------------------------------------------

    def _selected(self, name: str, before: list[int], indices: list[int]) -> None:
        """Selected in a map."""
        if sorted(indices) != sorted(self.visit.selection.tolist()):
            self._errands.guarded("page", self._select, list(indices))

    def _select(self, numbers: list[int]) -> None:
        self.visit.select(numbers)
        self._select_in_maps()
        if not self.visit.fitting:
            self._show_details()

    def _select_in_maps(self) -> None:
        if self.canvas is not None:
            self.canvas.drawing.nodes.selected.indices = self.visit.selection.tolist()

    def _show_details(self, wanted: bool = False) -> None:
        """Compute what is told of the selection, elsewhere, and show it unless another one was made meanwhile."""
        maps, selection, threads = list(self.visit.maps), self.visit.selection, self.visit.threads
        if maps:
            find = partial(find_details, maps, selection, threads, wanted)
            self._errands.latest("details", find, self._tell_details)
        else:
            self._errands.forget("details")
            self.post.details = written({})

    def _tell_details(self, told: dict[str, Any]) -> None:
        if not self.visit.fitting:
            self.post.details = written(told)

    # ---- questions -------------------------------------------------------------------------------------------------

    def _ask_next(self, wish: dict[str, Any]) -> None:
        found = [strategy for strategy in STRATEGIES if strategy == wish.get("strategy")]
        if not found:
            raise InputError(f"Pairs to check are found by one of {', '.join(STRATEGIES)}; choose from these.")
        (self.strategy,) = found
        self._show_next(wanted=True)

    def _show_next(self, wanted: bool = False) -> None:
        """Which unknown pairs to check, where some are listed."""
        maps, strategy = list(self.visit.maps), self.strategy

        def tell(told: dict[str, Any]) -> None:
            self.post.next_pairs = written(told)

        self._errands.latest("next", lambda: find_next(maps, strategy, wanted), tell)

    def _ask_newcomer(self, values: dict[str, int]) -> None:
        """A new node, linked to what is selected; shown until something else is."""
        maps, planes, selection = list(self.visit.maps), list(self._planes()), self.visit.selection
        if not maps or not len(selection) or self.visit.fitting:
            raise InputError("A new node is linked to what is selected on a map; select something first.")
        self._errands.latest("details", lambda: find_newcomer(maps, planes, selection, values), self._tell_details)

    def _offer_fairness(self) -> None:
        """Nothing is known of other maps or another column yet."""
        self._errands.forget("fairness")
        self.post.fairness = written(answering.fairness_offered(self._column_of_groups()))

    def _ask_fairness(self) -> None:
        maps, column = list(self.visit.maps), self._column_of_groups()
        if not maps or column is None:
            raise InputError("Fairness compares groups; make a map, and colour it by a column with 2 to 32 of them.")

        def tell(told: dict[str, Any]) -> None:
            self.post.fairness = written(told)

        self._errands.latest("fairness", lambda: find_fairness(maps, column), tell)

    def _column_of_groups(self) -> str | None:
        return None if self.visit.network is None else column_of_groups(self.visit.network, self.colour)

    # ---- files -----------------------------------------------------------------------------------------------------

    def _file(self, wish: dict[str, Any]) -> None:
        """Make a file and tell the page where it is."""
        maps, kind, place = list(self.visit.maps), str(wish.get("kind")), whole_number(wish, "place")
        if not 0 <= place < len(maps):
            raise InputError("There is no map yet to take along; make one first.")
        told: dict[str, Any] = {"title": self.visit.title, "colour": self.colour, "threads": self.visit.threads}
        write = partial(write_file, kind, maps, place, self.visit.selection, self.uploads.folder, **told)
        self._errands.then("page", write, self._hand_over)

    def _hand_over(self, path: Path) -> None:
        self.post.file = written({"address": self._offer(path), "name": path.name})

    def close(self) -> None:
        """The visitor has left: nothing goes on, nothing stays. The document is gone already."""
        self._errands.close()
        self.visit.close()
        self.uploads.close()
