"""What all HTML pages share: colours and type, the theme button, and what a page may load."""

import base64
import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable

from clusterbits.text.palette import as_variables


def page_style(*sheets: Traversable) -> str:
    """Return the style sheet of a page: the shared rules, then its own."""
    return as_variables() + _joined(_shared("page.css"), *sheets)


def page_script(*scripts: Traversable) -> str:
    """Return the script of a page: the theme button, then its own."""
    return _joined(_shared("theme.js"), *scripts)


def content_policy(script: str) -> str:
    """Return the policy of a page that runs this script and loads nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _shared(name: str) -> Traversable:
    return files("clusterbits.text") / name


def _joined(*parts: Traversable) -> str:
    return "\n".join(part.read_text(encoding="utf-8").strip() for part in parts)
