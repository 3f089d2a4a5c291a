"""The explorer: a page on which a person loads a network, says what is known of it, and looks at what remains.

visit.py     what one visitor has: network, knowledge, maps       fitting_job.py   a fit in a thread of its own
uploads.py   files that visitors send                             reading.py       reading them in a process of its own
files.py     files that visitors take along                       downloads.py     where these are fetched
knowing.py   what can be given of a network                       tables.py        numbers of a node, a pair, a group
questions.py what to check, a new node, fairness: numbers         answering.py     the same in words
details.py   what is told of a selection                          wording.py       in which words
drawing.py   the maps as Bokeh figures                            post.py          what page and server tell each other
view.py      a visit and its page, tied together                  errands.py       what takes time, in threads
server.py    bound to one host, and who may talk                  page/            HTML, CSS and JavaScript
"""
