"""The command line: parse, call, display. A command's module is imported when it is run."""

import traceback
import warnings
from collections.abc import Iterable

from cyclopts import App, CycloptsError, Group, MissingArgumentError, Parameter

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, ClusterbitsWarning, first_line
from clusterbits.text.terminal import print_error

__all__ = ["app", "run_command"]


def _show_default(value: object) -> str | None:
    """Return a default as one would type it; None for a flag, and for what is not given."""
    if value is None or value is False:
        return None
    return " ".join(f"{one:g}" for one in value) if isinstance(value, tuple) else str(value)


app = App(
    name="clusterbits",
    version=cb.__version__,
    version_flags=["--version", "-V"],
    help="How many bits do your clusters save? Scores a clustering against known classes.\n\n"
    "Example: clusterbits score labels.csv --truth species --pred cluster",
    group_commands=Group("Options", sort_key=9),
    suppress_keyboard_interrupt=False,
    default_parameter=Parameter(negative=(), show_default=_show_default),
)
app.register_install_completion_command(
    help="Let the shell (bash, zsh, fish) complete commands and options with the Tab key."
)
# The commands in groups: where each is, and the first line of its help.
COMMANDS = {
    "Score": {
        "score_commands:score": "Score a clustering against the true classes; of several "
        "columns, each.",
        "score_commands:compare": "Compare clusterings of the same objects: the best, and those "
        "not significantly worse.",
        "score_commands:explain": "Show where the bits of a clustering go, and what would save "
        "some.",
        "diff_command:diff": "Show what changed between an old and a new clustering, and carry "
        "names over.",
        "score_commands:report": "Write a report of one or more clusterings: one self-contained "
        "HTML file.",
    },
    "Shapes and fields": {
        "tree_command:tree": "Score every cut of a hierarchical clustering: how many clusters, "
        "and where to cut deeper.",
        "coref_command:coref": "Score coreference: MUC, B³, CEAF, BLANC, LEA, and the CoNLL score.",
        "estimate_command:estimate": "Estimate measures of all records from a sample of true "
        "entities.",
    },
    "Measures and the paper": {
        "study_commands:measures": "List measures: all, a family, or those that a search finds; "
        "or explain one.",
        "study_commands:desiderata": "Make report cards: which desiderata measures satisfy.",
        "study_commands:reproduce": "Reproduce the paper's tables, figures and counts, and list "
        "what differs.",
        "study_commands:demo": "Score 14 clusterings of 1,797 handwritten digits, and show where "
        "measures disagree.",
        "study_commands:explore": "Write the explorer: one self-contained HTML page that shows "
        "how measures behave.",
    },
    "Codes": {
        "code_commands:encode": "Encode the true classes for someone who has the clusters, and "
        "print the length of each part.",
        "code_commands:decode": "Decode the true classes from a code and the clusters.",
    },
}
for _number, (_title, _commands) in enumerate(COMMANDS.items()):
    _group = Group(_title, sort_key=_number)
    for _place, (_path, _help) in enumerate(_commands.items()):
        app.command(
            f"clusterbits.cli.{_path}",
            name=_path.partition(":")[2],
            group=_group,
            sort_key=_place,
            help=_help,
        )


def run_command(arguments: list[str]) -> None:
    """Run a command; print warnings, and let errors point to its help."""
    given = _spell_out(arguments)
    command = f" {given[0]}" if given[:1] and given[0] in {*app} else ""
    with warnings.catch_warnings():
        warnings.simplefilter("once", ClusterbitsWarning)
        warnings.showwarning = lambda message, *_, **__: print_error(_as_flags(message))
        try:
            if command and not given[0].startswith("-"):
                app[given[0]].help = None  # but the whole docstring
            app(given, exit_on_error=False, print_error=False)
        except (CycloptsError, ClusterbitsError) as error:
            message = _as_flags(" ".join(str(error).split()))
            if isinstance(error, MissingArgumentError) and error.argument:
                message = f"{error.argument.name} is missing, or has no value"
            message += "." * (message[-1:] not in (".", "?"))
            raise ClusterbitsError(f"{message} See clusterbits{command} --help.") from error
        except Exception as error:
            if not (measure := _own_measure(error)):
                raise
            what = f"{type(error).__name__}: {first_line(error)}"
            raise ClusterbitsError(f"{measure} failed with {what}") from error


def _as_flags(message: object) -> str:
    from clusterbits.cli.flags import as_flags  # imports numpy, which help does without

    return as_flags(str(message))


# Options that name a file, and those that take no value.
_WRITTEN = ("-o", "--output", "--data", "--report", "--apply", "--labels-out", "--questions-out")
_READ = ("--ids", "--baseline", "--answers")
_FLAGS = ("--no-header", "--pairs", "--witness", "--recompute")
_SHORT = {"--json": "--format=json", "--csv": "--format=csv"}


def _spell_out(given: Iterable[str]) -> list[str]:
    """Return arguments with their short forms written out: --json, --csv, and - for a stream.

    A `-` after an option is left alone, as it may be the value, unless the option names a file or
    takes none.
    """
    arguments: list[str] = []
    for argument in given:
        before = arguments[-1] if arguments else ""
        option, _, value = argument.partition("=")
        if value == "-" and option in (*_WRITTEN, *_READ):
            arguments += [option]
            argument, before = "-", option
        if argument == "-" and before in _WRITTEN:
            argument = "/dev/stdout"
        elif argument == "-" and (
            before in (*_READ, *_FLAGS) or before[:1] != "-" or "=" in before
        ):
            argument = "/dev/stdin"
        arguments.append(_SHORT.get(argument, argument))
    return arguments


def _own_measure(error: Exception) -> str:
    """Return the measure of the user's own that an error came from; empty where it is ours."""
    from clusterbits.measures.catalogue import catalogue

    ran = {frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)}
    own = (entry for entry in catalogue() if not entry.built_in)
    found = (one.name for one in own if getattr(one.function, "__code__", None) in ran)
    return next(found, "")
