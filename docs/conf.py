"""Settings of the site: ``make docs`` builds it, offline and with warnings as errors.

With the environment variable ``SITE_ONLINE=1`` names of other projects link to their pages.
"""

import os
import sys
from importlib.metadata import metadata
from pathlib import Path

from sphinx_gallery import gen_rst

import clusterbits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "clusterbits"
author = "clusterbits developers"
copyright = "clusterbits developers"
version = release = clusterbits.__version__
addresses = dict(line.split(", ") for line in metadata(project).get_all("Project-URL"))

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    # Ours, in _ext.
    "card_tables",
    "cells",
    "checkout_links",
    "explorer_page",
    "mathml",
    "measure_pages",
    "measure_picker",
    "peer_pages",
    "versions",
]

if os.environ.get("SITE_ONLINE"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }

exclude_patterns = ["_build", "_ext", "tutorial"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
nitpicky = True
suppress_warnings = ["config.cache"]  # sphinx-gallery's settings hold functions

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3

templates_path = ["_templates"]
default_role = "code"
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
autosummary_generate = True
# Files whose names differ only in case are one file on macOS and Windows.
autosummary_filename_map = {
    f"clusterbits.{name}": f"clusterbits.{name}-class"
    for name in (
        "Consensus",
        "Interval",
        "Match",
        "Measure",
        "Pairwise",
        "Scorer",
        "records.Estimate",
        "trees.Cuts",
    )
}
numpydoc_show_class_members = False

# Wide tables of the gallery scroll, with the keyboard too: sphinx-gallery has no setting for it.
assert gen_rst.HTML_HEADER.count("<div") == 1, "sphinx-gallery lays out tables in another way"
gen_rst.HTML_HEADER = gen_rst.HTML_HEADER.replace("<div", '<div tabindex="0"').replace("<br />", "")
sphinx_gallery_conf = {
    "examples_dirs": ["../examples", "tutorial"],
    "gallery_dirs": ["gallery", "learn"],
    # Those that start an engine are shown and not run: tests/reading/test_frames.py runs them.
    "filename_pattern": r"^(?!.*count_with)",
    "ignore_repr_types": r"matplotlib\.",
    "abort_on_example_error": True,
    "copyfile_regex": r"index\.rst|.*\.md",  # the pages of the tutorial that are not run as Python
    "nested_sections": False,
    "subsection_order": [
        "../examples/biology",
        "../examples/text",
        "../examples/linkage",
        "../examples/images",
        "../examples/networks",
        "../examples/models",
        "../examples/measures",
        "../examples/engines",
    ],
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 10_000,
    "remove_config_comments": True,
    "reset_modules": ("matplotlib",),
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "clusterbits"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_extra_path = ["_build/old"] if (HERE / "_build/old").exists() else []  # _ext/versions.py
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "clusterbits"},
    "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "icon_links": [
        {
            "name": "Source code",
            "url": addresses["Source"],
            "icon": "fa-brands fa-github",
        }
    ],
    "use_edit_page_button": False,
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
