"""The command line: parse, call, display. A command's module is imported when it is run."""

import warnings
from collections.abc import Iterable

from cyclopts import App, CycloptsError, Group, MissingArgumentError, Parameter

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, ClusterbitsWarning
from clusterbits.text.terminal import print_error

__all__ = ["app", "find_command", "run_command"]


def _show_default(value: object) -> str | None:
    """Return a default as one would type it; None for a flag, and for what is not given."""
    if value is None or value is False:
        return None
    return str(value)


app = App(
    name="clusterbits",
    version=cb.__version__,
    version_flags=["--version", "-V"],
    help="Compare clusterings: with the truth, with yesterday's, with each other, in bits.\n\n"
    "Example: clusterbits score labels.csv --truth species --pred cluster",
    group_commands=Group("Options", sort_key=9),
    suppress_keyboard_interrupt=False,
    default_parameter=Parameter(negative=(), show_default=_show_default),
)
app.register_install_completion_command(
    help="Let the shell (bash, zsh, fish) complete commands and options with the Tab key."
)
# The commands in groups: module, function and the first line of the help.
COMMANDS = {
    "Clusterings": {
        "score": ("score_commands", "Score one clustering or several against the true classes."),
        "compare": ("score_commands", "Compare clusterings and find those that may be the best."),
        "explain": ("score_commands", "Show where the bits go, and what merges and splits save."),
        "diff": (
            "diff_command",
            "Show what changed between an old and a new clustering, and carry names over.",
        ),
        "consensus": (
            "consensus_command",
            "Find which runs agree, and which clusters and objects are stable; no truth is needed.",
        ),
        "report": (
            "score_commands",
            "Write a report of clusterings: a self-contained HTML page.",
        ),
    },
    "Trees and fields": {
        "tree": (
            "tree_command",
            "Score every cut of a hierarchical clustering: how many clusters, "
            "and where to cut deeper.",
        ),
        "coref": ("coref_command", "Score coreference by MUC, B³, CEAF, BLANC, LEA and CoNLL."),
        "estimate": ("estimate_command", "Estimate measures from a sample of true entities."),
    },
    "Measures and the paper": {
        "measures": ("measures_command", "List measures, or explain one."),
        "demo": ("demo", "Score clusterings of digits, and show where measures disagree."),
        "paper reproduce": ("paper_commands", "Reproduce the paper's tables, figures and counts."),
        "paper cards": ("paper_commands", "Make report cards: which desiderata measures satisfy."),
        "paper explore": ("paper_commands", "Write a page that shows how measures behave."),
    },
    "Codes": {
        "code encode": ("code_commands", "Encode the true classes, given the clusters."),
        "code decode": ("code_commands", "Decode the true classes from a code and the clusters."),
    },
}
# Commands that have commands, such as `paper cards`.
FAMILIES = {
    "paper": "The paper: reproduce it, judge measures by its desiderata, explore its tables.",
    "code": "The code that q0 is the length of: encode and decode the true classes.",
}


def _add_commands() -> None:
    for number, (title, commands) in enumerate(COMMANDS.items()):
        group = Group(title, sort_key=number)
        for place, (path, (module, help)) in enumerate(commands.items()):
            family, _, name = path.rpartition(" ")
            if family and family not in app:
                app.command(App(name=family, help=FAMILIES[family], group=group, sort_key=place))
            (app[family] if family else app).command(
                f"clusterbits.cli.{module}:{name}",
                name=name,
                group="Commands" if family else group,
                sort_key=place,
                help=help,
            )


_add_commands()


def find_command(words: Iterable[str]) -> tuple[App, str]:
    """Return the command that the first words name, and these words."""
    command, path = app, "clusterbits"
    for word in words:
        if word.startswith("-") or word not in command:
            break
        command, path = command[word], f"{path} {word}"
    return command, path


def run_command(arguments: list[str]) -> None:
    """Run a command; print warnings, and let errors point to its help."""
    spelled = _spell_out(arguments)
    command, path = find_command(spelled)
    with warnings.catch_warnings():
        warnings.simplefilter("once", ClusterbitsWarning)
        warnings.showwarning = lambda message, *_, **__: print_error(_as_flags(message))
        try:
            if command.default_command is not None:
                command.help = None  # but the whole docstring
            app(spelled, exit_on_error=False, print_error=False)
        except (CycloptsError, ClusterbitsError) as error:
            message = _as_flags(" ".join(str(error).split()))
            if isinstance(error, MissingArgumentError) and error.argument:
                message = f"{error.argument.name} is missing, or has no value"
            message += "." * (message[-1:] not in (".", "?"))
            raise ClusterbitsError(f"{message} See {path} --help.") from error


def _as_flags(message: object) -> str:
    from clusterbits.cli.flags import as_flags  # imports numpy, which help does without

    return as_flags(str(message))


# What - means after options that name a file; after those without a value it is standard input.
_STREAMS = dict.fromkeys(
    ("-o", "--output", "--data", "--report", "--apply", "--labels-out", "--questions-out"),
    "/dev/stdout",
) | dict.fromkeys(("--ids", "--baseline", "--answers"), "/dev/stdin")
_FLAGS = ("--no-header", "--pairs", "--witness")
_SHORT = {"--json": "--format=json", "--csv": "--format=csv"}


def _spell_out(words: Iterable[str]) -> list[str]:
    """Return arguments with their short forms written out: --json, --csv, and - for a stream.

    A `-` after any other option is left alone, as it may be the value.
    """
    arguments: list[str] = []
    for argument in words:
        before = arguments[-1] if arguments else ""
        option, _, value = argument.partition("=")
        if value == "-" and option in _STREAMS:
            arguments.append(f"{option}={_STREAMS[option]}")
        elif argument == "-" and before in _STREAMS:
            arguments.append(_STREAMS[before])
        elif argument == "-" and (before in _FLAGS or before[:1] != "-" or "=" in before):
            arguments.append("/dev/stdin")
        else:
            arguments.append(_SHORT.get(argument, argument))
    return arguments
