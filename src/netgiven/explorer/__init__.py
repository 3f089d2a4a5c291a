"""The explorer: a page on which a person loads a network, says what is known of it, and looks at what remains.

visit.py        what one visitor has: network, knowledge, maps, selection      fitting_job.py   a fit in a thread of its own
uploads.py      files that visitors send                                       downloads.py     files that they take along
knowing.py      what can be given of a network with these columns              tables.py        numbers of a node, a pair, a group
drawing.py      the maps as Bokeh figures                                      view.py          a visit and its page, tied together
server.py       the server, bound to one host, and who may talk to it          page/            the page: HTML, CSS and JavaScript
"""
