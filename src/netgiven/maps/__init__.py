"""Maps: networks placed in the plane, drawn for a page, a notebook or a paper."""
