"""The explorer: a web page to open a network, choose prior knowledge, fit maps and inspect them.

server.py      the Bokeh server, uploads and downloads       controller.py   requests of the page change its session
session.py     state of one page                             messages.py     JSON messages between page and server
background.py  tasks and fits in threads                     tables.py       numbers of a node, a pair, a group
figures.py     the maps as Bokeh figures                     files.py        files that are uploaded and downloaded
page/          HTML, CSS and JavaScript
"""
