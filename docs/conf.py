"""The documentation site: `make docs` builds it into docs/_build. Nothing is fetched, neither now nor by its pages."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import netgiven.types

project = "netgiven"
author = "the authors of netgiven"
release = version = netgiven.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "reference",  # beside this file: pages made from docstrings and from commands
]
exclude_patterns = ["_build"]
nitpicky = True
smartquotes = False  # options begin with two hyphens

# ---- Markdown --------------------------------------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 4

# ---- docstrings ------------------------------------------------------------------------------------------------------

default_role = "name"
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_ivar = True
autodoc_type_aliases = dict.fromkeys(vars(netgiven.types), "numpy.ndarray")

# ---- pages -----------------------------------------------------------------------------------------------------------

html_theme = "furo"
html_title = "netgiven"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_use_index = False
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
pygments_style = "tango"
pygments_dark_style = "github-dark"
