"""The command line: parse, call one function, print. One command a file."""
