"""The paper's tables, made again: what is run (methods), one file a run (units), and the report on all of them."""
