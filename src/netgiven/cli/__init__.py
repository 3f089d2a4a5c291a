"""The command line, one or two commands per module: parse options, call one function, print."""
