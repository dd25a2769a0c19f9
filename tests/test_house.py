"""The house stays in order: short functions, one name for one thing, no back doors."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import clusterbits

PACKAGE = Path(clusterbits.__file__).parent
LONGEST_FUNCTION = 50
# Names with an underscore that Python documents: of named tuples, and of os.
DOCUMENTED = {"_replace", "_asdict", "_fields", "_field_defaults", "_make", "_exit"}


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {path: path.read_text() for path in sorted(PACKAGE.rglob("*.py"))}
C_FILES = {
    path: path.read_text(encoding="utf-8")
    for path in sorted(Path(__file__).parents[1].glob("src/native/*.[ch]"))
}
TREES = {module_name(path): ast.parse(text) for path, text in SOURCES.items()}


def test_docstrings_name_no_file_that_only_a_checkout_has():
    """Users of a wheel read them, too."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    docstrings = {
        (name, getattr(node, "name", "")): ast.get_docstring(node) or ""
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, documented)
    }
    assert [place for place, text in docstrings.items() if re.search(r"docs/\w+/", text)] == []


def functions(tree):
    return (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def body_length(function):
    """Return the lines of a function from its first statement to its last; docstrings are free."""
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def is_private(name):
    # Names such as _repr_html_ are a protocol.
    return name.startswith("_") and not name.endswith("_") and name not in DOCUMENTED


def imported_modules(tree):
    """Return the names that stand for other modules of the package, and for which."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == "clusterbits":
                    found[alias.asname or "clusterbits"] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if f"{node.module}.{alias.name}" in TREES:
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def back_doors(name, tree):
    """Yield each use of an underscore name of another module: imported, or looked up in it."""
    modules = imported_modules(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clusterbits"):
            path = [*node.module.split("."), *(alias.name for alias in node.names)]
            yield from (f"{name}:{node.lineno} imports {part}" for part in path if is_private(part))
        elif (
            isinstance(node, ast.Attribute)
            and is_private(node.attr)
            and ast.unparse(node.value) in {*modules, *modules.values()}
        ):
            yield f"{name}:{node.lineno} uses {ast.unparse(node)}"


def foreign_attributes(name, tree):
    """Yield each underscore attribute of an object that no class or function of the module has."""
    own = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    own |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    own |= {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and is_self(n.value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            yield f"{name}:{node.lineno} uses {ast.unparse(node)}"


def is_self(node):
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def test_functions_are_short():
    long = [
        f"{name}:{function.lineno} {function.name}, {body_length(function)} lines"
        for name, tree in TREES.items()
        for function in functions(tree)
        if body_length(function) > LONGEST_FUNCTION
    ]
    assert not long, "\n".join(long)


def c_functions(text):
    """Yield the name of each function of a C file, and how many lines its body has."""
    for found in re.finditer(r"^\w[^\n;]*?(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", text, re.M | re.S):
        yield found[1], found[2].count("\n")


def test_kernels_are_short():
    found = [(path.name, *of) for path, text in C_FILES.items() for of in c_functions(text)]
    assert len(found) > 30  # a rule that finds no functions holds none
    assert not [of for of in found if of[2] > LONGEST_FUNCTION]


def test_kernels_are_used():
    (listed,) = (text for path, text in C_FILES.items() if path.name == "module.c")
    names = re.findall(r'\{"(\w+)", \1, METH', listed)
    assert len(names) > 5
    package = "\n".join(SOURCES.values())
    assert not [name for name in names if not re.search(rf"\bnative\.{name}\b", package)]


def test_one_class_of_a_name():
    places = defaultdict(list)
    for name, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{name}:{node.lineno}")
    twice = [f"{name}: {', '.join(where)}" for name, where in places.items() if len(where) > 1]
    assert not twice, "\n".join(twice)


def test_underscore_names_stay_in_their_module():
    used = [line for name, tree in TREES.items() for line in back_doors(name, tree)]
    used += [line for name, tree in TREES.items() for line in foreign_attributes(name, tree)]
    assert not used, "\n".join(sorted(set(used)))


def test_no_import_hides_in_a_string():
    hidden = [
        f"{name}:{node.lineno}"
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__")
        and any("clusterbits" in ast.unparse(argument) for argument in node.args)
    ]
    assert not hidden, "\n".join(hidden)


# --- the rules themselves ------------------------------------------------------------------------


def test_cells_are_made_in_table_labels_and_reading():
    """Elsewhere cells come from their one maker, `Cells.from_keys`, never from loose arrays."""
    made = [
        f"{name}:{node.lineno}"
        for name, tree in TREES.items()
        if not name.startswith(("clusterbits.table", "clusterbits.labels", "clusterbits.reading"))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Cells"
    ]
    assert made == []


# Pronouns and the like, which say nothing of what a variable holds.
GRAMMAR_WORDS = {"found", "some", "one", "given", "there", "here", "many", "said", "told"}
# The labeling whose pairs a measure asks for: a public parameter.
GIVEN = {("given", "clusterbits.measures.pairs")}


def bound_names(tree):
    """Yield each name that is bound: assigned, looped over, a parameter; and its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def test_variables_are_nouns():
    words = [
        f"{name}:{line} binds {word}"
        for name, tree in TREES.items()
        for word, line in bound_names(tree)
        if word in GRAMMAR_WORDS and (word, name) not in GIVEN
    ]
    assert not words, "\n".join(words)
