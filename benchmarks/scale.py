"""Counting where the data lives: against DuckDB asked directly, and how time grows with rows.

    python benchmarks/scale.py [FOLDER] [--plot docs/explanation/scale.png]

Makes its data (some 2 GB) in FOLDER, or in a temporary one. Each time is the median of runs in
processes of their own, ours and the peer's in turn; memory is the peak of the whole process.
"""

import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from timing import alone, head, in_turn, peak_memory, row, timed

import clusterbits as cb

CLASSES, CLUSTERS = 1000, 1200
GROWTH = [10**5, 10**6, 10**7, 10**8]
JOINED, TEN, DAYS = 20_000_000, 10_000_000, 365


def make_data(folder):
    import duckdb

    connection = duckdb.connect()

    def write(name, query, form=""):
        if not (folder / name).exists():
            connection.execute(f"copy ({query}) to '{folder / name}' {form}")

    def labels(rows, text=""):
        c, k = f"{text} (hash(i) % {CLASSES})", f"{text} (hash(i * 3) % {CLUSTERS})"
        cast = "" if text else "::integer"
        return f"select {c}{cast} as c, {k}{cast} as k from range({rows}) r(i)"

    for rows in GROWTH:
        write(f"{rows}.parquet", labels(rows))
    ids = f"select i as id, 'class ' || (hash(i) % {CLASSES}) as c from range({JOINED}) r(i)"
    write("truth.csv", f"{ids} order by hash(i + 7)")
    write("pred.csv", f"select i as id, hash(i * 3) % {CLUSTERS} as k from range({JOINED}) r(i)")
    ten = ", ".join(f"(hash(i * {j} + 1) % {50 + 20 * j})::integer as k{j}" for j in range(10))
    query = f"select (hash(i) % 100)::integer as c, {ten} from range({TEN}) r(i)"
    write("ten.parquet", query)
    write("ten.csv", query)


def raw(folder, query):
    import duckdb

    return len(duckdb.connect().execute(query.format(folder=folder)).fetchnumpy()["n"])


def ours(path, *arguments, **options):
    found = cb.Contingency.from_file(path, *arguments, **options)
    return len(found.counts) if isinstance(found, cb.Contingency) else len(found)


def merged():
    rng = np.random.default_rng(0)
    names = [f"class {i}" for i in range(CLASSES)]
    days = [
        cb.Contingency.from_counts(rng.poisson(1.0, (CLASSES, CLUSTERS)), classes=names)
        for _ in range(DAYS)
    ]
    first, both = timed(cb.Contingency.from_batches, days)
    second, chain = timed(sum, days)
    assert first == second
    return both, chain


JOIN = (
    "select c, k, count(*) as n from read_csv('{folder}/truth.csv') "
    "join read_csv('{folder}/pred.csv') using (id) group by c, k"
)
# What a careful person asks instead: what both have, and how much only one has.
FULL_JOIN = (
    "select c, k, count(*) as n, count(t.id) as in_truth, count(p.id) as in_pred "
    "from read_csv('{folder}/truth.csv') t full join read_csv('{folder}/pred.csv') p "
    "on t.id = p.id group by c, k"
)
GROUP = "select c, k, count(*) as n from '{{folder}}/{rows}.parquet' group by c, k"
TASKS = {
    "parquet raw": lambda f: raw(f, GROUP.format(rows=10**8)),
    "parquet ours": lambda f: ours(f / f"{10**8}.parquet", "c", "k"),
    "join raw": lambda f: raw(f, JOIN),
    "full join raw": lambda f: raw(f, FULL_JOIN),
    "join ours": lambda f: ours([f / "truth.csv", f / "pred.csv"], "c", "k", on="id"),
    **{f"grow {rows}": lambda f, rows=rows: ours(f / f"{rows}.parquet") for rows in GROWTH},
    **{f"grow raw {rows}": lambda f, rows=rows: raw(f, GROUP.format(rows=rows)) for rows in GROWTH},
    **{
        f"ten {form} {how}": task
        for form in ("parquet", "csv")
        for how, task in {
            "one pass": lambda f, form=form: ours(f / f"ten.{form}", "c", "k*"),
            "ten scores": lambda f, form=form: [
                ours(f / f"ten.{form}", "c", f"k{j}") for j in range(10)
            ],
        }.items()
    },
}


def run_task(task, folder):
    """Return seconds and peak memory in GB."""
    _, took = timed(TASKS[task], folder)
    return took, peak_memory() / 1024


def medians(folder, *tasks, repeats=3):
    """Return seconds (the median) and memory (the most) of each task, in processes of their own."""
    runs = in_turn([lambda task=task: alone(run_task, task, folder) for task in tasks], repeats)
    return [
        (statistics.median(took for took, _ in some), max(memory for _, memory in some))
        for some in runs
    ]


def main(folder, plot):
    alone(make_data, folder)
    head("", "clusterbits", "peer", "times faster", "peak memory")

    def line(what, mine, other):
        (took, memory), (peer, _) = mine, other
        row(what, f"{took:.2f} s", f"{peer:.2f} s", f"{peer / took:.2g}", f"{memory:.2f} GB")

    found = medians(folder, "parquet ours", "parquet raw")
    line("Parquet, 1e8 rows, 1000 × 1200, against DuckDB's own group-by", *found)
    found = medians(folder, "join ours", "join raw", "full join raw")
    mine, inner, full = found
    files = "two CSVs of 2e7 rows joined on id, against DuckDB's"
    line(f"{files} inner join", mine, inner)
    line(f"{files} full join, which sees unmatched ids too", mine, full)
    for form in ("parquet", "csv"):
        found = medians(folder, f"ten {form} one pass", f"ten {form} ten scores")
        line(f"ten columns of 1e7 rows ({form}) at once, against one by one", *found)
    both, chain = merged()
    print(
        f"\n{DAYS} tables of {CLASSES} × {CLUSTERS}: from_batches {both:.2f} s, sum {chain:.2f} s"
    )

    head("rows", "clusterbits", "DuckDB's own group-by", left=0)
    grown = []
    for rows in GROWTH:
        found = medians(folder, f"grow {rows}", f"grow raw {rows}")
        grown.append([took for took, _ in found])
        row(f"{rows:,}", *(f"{took:.3f} s" for took in grown[-1]))
    if plot:
        draw(grown, plot)


def draw(grown, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for times, label in zip(
        zip(*grown, strict=True), ("clusterbits", "DuckDB, asked directly"), strict=True
    ):
        axes.loglog(GROWTH, times, "o-", label=label)
    axes.set(xlabel="rows of a Parquet file", ylabel="seconds", title="Counting 1000 × 1200 tables")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    target = arguments[arguments.index("--plot") + 1] if "--plot" in arguments else None
    given = [a for a in arguments if a not in ("--plot", target)]
    if given:
        main(Path(given[0]), target)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary), target)
