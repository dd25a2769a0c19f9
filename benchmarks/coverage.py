"""Coverage of confidence intervals, and how long they take.

    python benchmarks/coverage.py
    python benchmarks/coverage.py wrong
    python benchmarks/coverage.py paired
    python benchmarks/coverage.py best
    python benchmarks/coverage.py levels
    python benchmarks/coverage.py tasks
    python benchmarks/coverage.py groups
    python benchmarks/coverage.py balanced
    python benchmarks/coverage.py large
    python benchmarks/coverage.py patients

For each population, samples of n objects are drawn, and an interval is made of each by the default
call: nothing is known but the sample. It should contain the mean of the measure over samples of n
objects, each scored with the classes it has, 95 times in 100. Takes three minutes on two cores.
With `wrong`, more measures of classes and clusters that hardly differ. With `paired`, the same for
the difference of two clusterings of the same objects, as `compare` finds it. With `best`, how often
`compare` excludes clusterings that are the best, and those that are not. With `levels`, the former
for few objects, few groups, and classes and runs of many forms; with `tasks`, the same over data
sets. With `groups`, objects
come in groups and are alike within them; intervals that resample objects stand beside those that
resample groups, for values and for differences, and for groups of which hardly one is wrong. With
`balanced`, every class counts the same. With `large`, tables have so many cells that they are not
resampled, for values and for differences; with `patients`, such tables of objects in groups.
Results are in docs/explanation/intervals.md.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
from timing import head, row, timed

import clusterbits as cb
from clusterbits.inference.comparison import compare_request
from clusterbits.inference.intervals import find_intervals
from clusterbits.inference.resampling import ResamplingUnits, resample_scores
from clusterbits.measures.catalogue import get_measure
from clusterbits.reading.arguments import count_groups, find_request
from clusterbits.table.many_tables import TableStack

MEASURES = ("q0", "q2", "adjusted_rand")
METHODS = ("centred", "percentile")
OBJECTS = (50, 500)
WRONG = (0.2, 0.5, 1, 2, 3, 5, 10, 20)
OBJECTS_FEW_WRONG = (100, 1000, 100_000)
# Of each population in the two tables; those in the second have more cells.
SAMPLES = (250, 150)
RESAMPLES = 200
# Samples whose mean stands for the true one: its own error is a fiftieth of a sample's.
TRUTH = 3000

# Numbers of classes, their skewness, and where wrong objects are.
HARDLY_WRONG = {
    "2 classes": (2, 0, "anywhere"),
    "20 classes": (20, 0, "anywhere"),
    "10 skewed classes": (10, 1, "anywhere"),
    "10 skewed classes, the smallest in the largest": (10, 1, "largest"),
    "10 skewed classes, the largest in the smallest": (10, 1, "smallest"),
}
HARDLY_WRONG_MEASURES = (
    "q0", "share_saved", "adjusted_rand", "ami", "purity", "pair_f1", "bcubed_f1", "accuracy"
)  # fmt: skip
HARDLY_WRONG_OBJECTS, HARDLY_WRONG_SAMPLES = 100, 100

CLUSTERINGS = (2, 6, 12, 20)
BEST_OBJECTS, BEST_SAMPLES = (300, 1000), 200
LEVEL_SAMPLES = 300

PAIRED_MEASURES = ("q0", "q2", "ari", "ami")
PAIRED_OBJECTS = (200, 1000, 10_000)
PAIRED_SAMPLES = 120

GROUPS = (10, 20, 50, 200)
OBJECTS_PER_GROUP = 20
GROUPED_SAMPLES = 300

LARGE_MEASURES = ("q0", "adjusted_rand", "v_measure", "purity")
LARGE_OBJECTS = 100_000
LARGE_SAMPLES, LARGE_TRUTH = 100, 300
# Numbers of classes, their skewness, shares of wrong objects in a, and in b of those right in a.
LARGE = {
    "200 × 200, half wrong": (200, 0, 0.5, 0.01),
    "300 × 300, skewed classes, 70 % wrong": (300, 0.7, 0.7, 0.01),
    "20,000 × 20,000, 10 % wrong": (20_000, 0, 0.1, 0.01),
    "25,000 × 25,000, 10 objects wrong": (25_000, 0, 10 / LARGE_OBJECTS, 5 / LARGE_OBJECTS),
    "50,000 × 50,000, rare classes, 30 % wrong": (50_000, 1, 0.3, 0.01),
    "200 × 200, independent": (200, 0, 1.0, 0.01),
}

PATIENTS, PATIENT_CLASSES, PATIENT_OBJECTS = (10, 50), 200, 50_000


def noisy(classes, clusters, right, zipf=0):
    """Return a population: a share of each class in its own cluster, the rest anywhere."""
    rng = np.random.default_rng(7)
    weights = np.arange(1.0, classes + 1) ** -zipf
    p = (1 - right) * rng.dirichlet(np.ones(clusters), classes)
    p[np.arange(classes), np.arange(classes) % clusters] += right
    p *= weights[:, None]
    return p / p.sum()


POPULATIONS = {
    "2 × 2, 85 % right": np.array([[0.40, 0.10], [0.05, 0.45]]),
    "3 × 3, 96 % right": np.array([[0.39, 0.01, 0], [0.01, 0.29, 0.01], [0, 0.01, 0.28]]),
    "5 × 8": noisy(5, 8, 0.6),
    "10 × 12, skewed classes": noisy(10, 12, 0.8, zipf=1),
    "10 × 40, over-split": np.kron(np.eye(10), np.full((1, 4), 0.02)) + 0.2 / 400,
    "30 × 30, skewed classes": noisy(30, 30, 0.5, zipf=1),
    "30 × 40, rare classes": noisy(30, 40, 0.7, zipf=2),
    "10 × 12, independent": np.full((10, 12), 1 / 120),
}


def few_wrong(n, wrong):
    """Return a population of four classes in four clusters, of which `wrong` in n are elsewhere."""
    p = np.full((4, 4), wrong / n / 12)
    np.fill_diagonal(p, (1 - wrong / n) / 4)
    return p


def rare_wrong(n, wrong):
    """Return a population of four classes: 5 of 1,000 in the rarest, and `wrong` in n elsewhere."""
    p = np.diag([0.6, 0.3, 0.095, 0.005 - wrong / n])
    p[3, 0] = wrong / n
    return p


def paired(classes=4, a_wrong=0.0, b_wrong=0.0, both_wrong=0.0, zipf=0):
    """Return a population of class × cluster in a × cluster in b, all as many.

    Shares of the objects are wrong in a only, in b only, and in both, there in the same cluster.
    """
    right = np.eye(classes)
    wrong = (1 - right) / (classes - 1)
    p = (1 - a_wrong - b_wrong - both_wrong) * np.einsum("ca,cb->cab", right, right)
    p += a_wrong * np.einsum("ca,cb->cab", wrong, right)
    p += b_wrong * np.einsum("ca,cb->cab", right, wrong)
    p += both_wrong * np.einsum("ca,ab->cab", wrong, right)
    p *= np.arange(1.0, classes + 1)[:, None, None] ** -zipf
    return p / p.sum()


# Of n objects: the first six are decided by few of them.
PAIRED = {
    "a perfect, 0.5 wrong in b": lambda n: paired(b_wrong=0.5 / n),
    "0.5 wrong in a, 0.5 others in b": lambda n: paired(a_wrong=0.5 / n, b_wrong=0.5 / n),
    "a perfect, 3 wrong in b": lambda n: paired(b_wrong=3 / n),
    "a perfect, 10 wrong in b": lambda n: paired(b_wrong=10 / n),
    "3 wrong in a, 6 others in b": lambda n: paired(a_wrong=3 / n, b_wrong=6 / n),
    "20 % wrong in both, 5 objects more in b": lambda n: paired(b_wrong=5 / n, both_wrong=0.2),
    "10 % wrong in both, 5 % more in b": lambda n: paired(b_wrong=0.05, both_wrong=0.1),
    "equally good: 5 % wrong in each": lambda n: paired(a_wrong=0.05, b_wrong=0.05),
    "b splits the clusters of a in two": lambda n: np.repeat(paired(both_wrong=0.1), 2, 2) / 2,
    "10 skewed classes, 20 % wrong in both, 10 % in each": lambda n: paired(
        10, 0.1, 0.1, 0.2, zipf=1
    ),
    "both random": lambda n: np.full((4, 4, 4), 1 / 64),
    "b is a, renamed": lambda n: paired(both_wrong=0.1)[:, :, ::-1],
}


def hardly_wrong(n, wrong, classes, zipf, where):
    """Return a population in which `wrong` of n objects are elsewhere, and the others right."""
    weights = np.arange(1.0, classes + 1) ** -zipf
    right = np.diag(weights / weights.sum())
    elsewhere = np.zeros((classes, classes))
    if where == "anywhere":
        elsewhere += weights[:, None] * (1 - np.eye(classes))
    else:
        elsewhere[(-1, 0) if where == "largest" else (0, -1)] = 1
    return (1 - wrong / n) * right + wrong / n * elsewhere / elsewhere.sum()


def true_means(measures, samples):
    """Return the mean of each measure over tables: samples × classes × clusters."""
    full = cb.Contingency.from_counts(np.ones(samples.shape[1:], dtype=int))
    counts = np.ascontiguousarray(samples.reshape(len(samples), -1).T)
    stack = TableStack(full.rows, full.columns, counts, full.with_counts)
    return np.array([np.mean(measure.score_table(stack)) for measure in measures])


def coverage(job):
    """Return the coverage of each method's interval in percent: measures × methods."""
    p, n, many, balanced, names, methods = job
    measures = [get_measure(name) for name in names]
    counts = np.random.default_rng([2026, n]).multinomial(n, p.ravel(), size=TRUTH)
    counts = counts.reshape(-1, *p.shape)
    tables = [cb.Contingency.from_counts(some) for some in counts]
    if balanced:
        tables = [table.balanced() for table in tables]
        true = np.array([np.mean([one.score_table(table) for table in tables]) for one in measures])
    else:
        true = true_means(measures, counts)
    found = np.zeros((len(measures), len(methods)))
    for seed, table in enumerate(tables[:many]):
        units = ResamplingUnits.from_table(table)
        scores = resample_scores(units, measures, "centred", RESAMPLES, seed, False)
        for i, score in enumerate(scores):
            for j, method in enumerate(methods):
                low, high, _ = score._replace(method=method).limits(0.95)
                found[i, j] += low <= true[i] <= high
    return 100 * found / many


def paired_coverage(job):
    """Return the coverage of the intervals of `compare` in percent, for each measure."""
    name, n = job
    p = PAIRED[name](n)
    labels = np.indices(p.shape).reshape(3, -1)
    samples = np.random.default_rng([2026, n]).multinomial(n, p.ravel(), size=TRUTH)
    measures = [get_measure(measure) for measure in PAIRED_MEASURES]
    cubes = samples.reshape(-1, *p.shape)
    a, b = (true_means(measures, cubes.sum(axis=axis)) for axis in (3, 2))
    true = np.round(b - a, 12)  # a clustering and its renaming differ by rounding
    found = np.zeros(len(measures))
    for seed, counts in enumerate(samples[:PAIRED_SAMPLES]):
        truth, a, b = np.repeat(labels, counts, axis=1)
        found += paired_hits(measures, true, truth, a, b, seed)
    return 100 * found / PAIRED_SAMPLES


def paired_hits(measures, true, truth, a, b, seed, groups=None):
    """Return whether the interval of the difference b - a contains the true one, by measure."""
    request = find_request(truth, None, {"a": a, "b": b})
    made = [compare_request(request, one, 0.95, seed, groups, False) for one in measures]
    limits = np.array([one.difference("b", "a")[1:] for one in made])
    return (limits[:, 0] <= true) & (true <= limits[:, 1])


def best_sample(rng, n, wrong):
    """Return classes, and clusterings of which each has its share of wrong objects."""
    truth = rng.integers(0, 4, n)
    others = (truth + rng.integers(1, 4, (len(wrong), n))) % 4
    return truth, np.where(rng.random((len(wrong), n)) < wrong[:, None], others, truth)


def best_rates(job):
    """Return in percent how often any of the best is excluded, and the share of others that is."""
    n, clusterings, best, share, worse = job
    wrong = np.where(np.arange(clusterings) < best, share, worse)
    rng = np.random.default_rng([2026, clusterings, best])
    any_best, others = 0, 0.0
    for seed in range(BEST_SAMPLES):
        truth, runs = best_sample(rng, n, wrong)
        runs = dict(enumerate(runs))
        found = cb.compare(truth, runs, rng=seed, progress=False)
        out = np.array([not found[name].in_set for name in runs])
        any_best += out[:best].any()
        others += out[best:].mean() if best < clusterings else 0
    return 100 * any_best / BEST_SAMPLES, 100 * others / BEST_SAMPLES


def print_best():
    print("Percent of samples in which some of the best are excluded, and of the others that are.")
    few, more = BEST_OBJECTS
    equal = (f"all equal, {n:,} objects" for n in BEST_OBJECTS)
    head("clusterings", *equal, "one better", "the others", "half better", "the others")
    with workers() as pool:
        for many in CLUSTERINGS:
            jobs = (
                (few, many, many, 0.1, 0.1),
                (more, many, many, 0.1, 0.1),
                (few, many, 1, 0.05, 0.1),
                (few, many, many // 2, 0.1, 0.2),
            )
            small, large, one, half = pool.map(best_rates, jobs)
            row(f"{many}", *(f"{rate:.1f}" for rate in (small[0], large[0], *one, *half)))


def noisy_labels(rng, truth, classes, wrong):
    return np.where(rng.random(len(truth)) < wrong, rng.integers(0, classes, len(truth)), truth)


def equal_runs(rng, n, runs, wrong, classes=4, sizes=None, shared=0.0):
    """Return classes and runs of the same quality; `shared` errors are in all of them."""
    truth = rng.choice(classes, n, p=sizes)
    base = noisy_labels(rng, truth, classes, shared)
    return truth, [noisy_labels(rng, base, classes, wrong) for _ in range(runs)], None


def equal_runs_in_groups(rng, groups, runs, pareto=False):
    """Return classes, runs of the same quality whose errors come in groups, and the groups."""
    sizes = np.full(groups, 10)
    if pareto:
        sizes = np.minimum(4 * (rng.pareto(1.1, groups) + 1), 400).astype(int)
    members = np.repeat(np.arange(groups), sizes)
    truth = rng.integers(0, 3, groups)[members]
    right = rng.beta(3, 1, (runs, groups))[:, members]
    others = rng.integers(0, 3, (runs, groups))[:, members]
    return truth, np.where(rng.random(right.shape) < right, truth, others), members


SKEWED = np.array([0.8, 0.1, 0.05, 0.03, 0.02])
LEVELS = {
    **{f"{n} objects, 10 runs": (equal_runs, n, 10, 0.3) for n in (20, 40, 100, 300, 1000)},
    "40 objects, 30 runs": (equal_runs, 40, 30, 0.3),
    "40 objects, 5 skewed classes, 8 runs": (equal_runs, 40, 8, 0.2, 5, SKEWED),
    "300 objects, 5 skewed classes, 8 runs": (equal_runs, 300, 8, 0.2, 5, SKEWED),
    "300 objects, 60 classes, 8 runs": (equal_runs, 300, 8, 0.3, 60),
    "300 objects, 1 % wrong, 8 runs": (equal_runs, 300, 8, 0.01),
    "300 objects, 30 % wrong in all, 5 % in each, 30 runs": (
        equal_runs, 300, 30, 0.05, 4, None, 0.3
    ),
    "300 objects, random, 8 runs": (equal_runs, 300, 8, 1.0),
    **{
        f"{groups} groups, {runs} runs": (equal_runs_in_groups, groups, runs)
        for groups, runs in ((6, 5), (10, 5), (20, 12), (50, 12))
    },
    **{
        f"{groups} groups of Pareto sizes, 5 runs": (equal_runs_in_groups, groups, 5, True)
        for groups in (6, 10, 30)
    },
}  # fmt: skip


def level_rates(name):
    """Return in percent how often any of several equally good clusterings is excluded."""
    make, *options = LEVELS[name]
    rng = np.random.default_rng([2026, *name.encode()])
    excluded = np.zeros(2)
    for _ in range(LEVEL_SAMPLES):
        truth, preds, groups = make(rng, *options)
        runs = dict(enumerate(preds))
        for i, measure in enumerate(("q0", "adjusted_rand")):
            found = cb.compare(truth, runs, measure=measure, groups=groups, progress=False)
            excluded[i] += len(found.best) < len(runs)
    return 100 * excluded / LEVEL_SAMPLES


def print_levels():
    print("Percent of samples in which some of equally good clusterings are excluded; nominal 5.")
    head("setting", "q0", "adjusted_rand")
    with workers() as pool:
        for name, rates in zip(LEVELS, pool.map(level_rates, LEVELS), strict=True):
            row(name, *(f"{rate:.1f}" for rate in rates))


def task_values(rng, kind, tasks, runs):
    """Return values of equally good methods, a row for each data set; some are hard for all."""
    errors = rng.standard_normal((tasks, runs))
    if kind == "heavy-tailed":
        errors = rng.standard_t(3, (tasks, runs))
    elif kind == "80 % tied":
        errors *= rng.random((tasks, 1)) < 0.2
    elif kind == "of unequal spread":
        errors *= np.geomspace(0.1, 1, runs)
    elif kind == "near-copies in pairs":
        errors[:, 1::2] = errors[:, : 2 * (runs // 2) : 2] + 0.1 * errors[:, 1::2]
    elif kind == "one is skewed":
        errors[:, 1:] *= 0.1
        errors[:, 0] = 1 - rng.exponential(size=tasks)
    elif kind == "one fails on 10 %":
        errors[:, 1:] *= 0.1
        errors[:, 0] = 0.3 - 3.0 * (rng.random(tasks) < 0.1)
    return 0.5 + 0.05 * rng.standard_normal((tasks, 1)) + 0.001 * errors


TASK_KINDS = (
    *("normal", "heavy-tailed", "80 % tied", "of unequal spread", "near-copies in pairs"),
    *("one is skewed", "one fails on 10 %"),
)
TASKS, TASK_RUNS = (8, 20, 42), (2, 10, 40)


def task_rates(kind):
    """Return in percent how often any of several equally good methods is excluded."""
    rng = np.random.default_rng([2026, *kind.encode()])
    rates = []
    for tasks, runs in product(TASKS, TASK_RUNS):
        excluded = 0
        for _ in range(LEVEL_SAMPLES):
            values = task_values(rng, kind, tasks, runs).tolist()
            rows = {task: dict(enumerate(row)) for task, row in enumerate(values)}
            excluded += len(cb.compare(rows, measure="hubert_gamma").best) < runs
        rates.append(100 * excluded / LEVEL_SAMPLES)
    return rates


def print_tasks():
    print("Percent of samples in which some of equally good methods are excluded; nominal 5.")
    head("methods", *(f"{tasks} × {runs}" for tasks, runs in product(TASKS, TASK_RUNS)))
    with workers() as pool:
        for kind, rates in zip(TASK_KINDS, pool.map(task_rates, TASK_KINDS), strict=True):
            row(kind, *(f"{rate:.1f}" for rate in rates))


def grouped_sample(rng, groups, accuracies):
    """Return classes and clusterings, flat: each group has its topic and its own accuracies.

    The wrong objects of a group are all in one cluster. Accuracies are beta(a, 1).
    """
    shape = groups, OBJECTS_PER_GROUP
    topic, elsewhere = rng.integers(0, 4, (2, groups, 1))
    truth = np.where(rng.random(shape) < 0.7, topic, rng.integers(0, 4, shape))
    rights = (rng.random(shape) < rng.beta(a, 1, (groups, 1)) for a in accuracies)
    return truth.ravel(), *(np.where(right, truth, elsewhere).ravel() for right in rights)


def rarely_wrong_groups(rng, groups, wrong):
    """Return classes and clusters of groups, of which `wrong` are wrong with all their objects."""
    topic, elsewhere = rng.integers(0, 4, (2, groups, 1))
    right = rng.random((groups, 1)) >= wrong / groups
    truth = np.broadcast_to(topic, (groups, OBJECTS_PER_GROUP))
    return truth.ravel(), np.where(right, truth, (topic + 1 + elsewhere % 3) % 4).ravel()


def grouped_coverage(job):
    """Return, for each measure, the coverage in percent by objects and by groups."""
    make, groups, parameter = job
    rng = np.random.default_rng([2026, groups])
    measures = [get_measure(measure) for measure in MEASURES]
    samples = [make(rng, groups, parameter) for _ in range(TRUTH)]
    paired = len(samples[0]) == 3
    values = np.array(
        [[[one(truth, pred) for one in measures] for pred in preds] for truth, *preds in samples]
    )
    true = np.mean(values[:, 1] - values[:, 0] if paired else values[:, 0], axis=0)
    found = np.zeros((2, len(measures)))
    for seed, labels in enumerate(samples[:GROUPED_SAMPLES]):
        for i, by in enumerate((None, np.repeat(np.arange(groups), OBJECTS_PER_GROUP))):
            if paired:
                found[i] += paired_hits(measures, true, *labels, seed, by)
                continue
            table = cb.Contingency.from_labels(*labels)
            if by is not None:
                (table,) = count_groups(find_request(labels[0], None, labels[1]), by, {}).values()
            made = find_intervals(table, measures, 0.95, RESAMPLES, seed)
            found[i] += [one.low <= t <= one.high for one, t in zip(made, true, strict=True)]
    return 100 * found.T / GROUPED_SAMPLES


def large_sample(rng, classes, zipf, wrong, more):
    """Return classes and two clusterings of many objects."""
    n, weights = LARGE_OBJECTS, np.arange(1.0, classes + 1) ** -zipf
    truth = rng.choice(classes, n, p=weights / weights.sum())
    a = np.where(rng.random(n) < wrong, rng.integers(0, classes, n), truth)
    return truth, a, np.where(rng.random(n) < more, rng.integers(0, classes, n), a)


def large_coverage(name):
    """Return, for each measure, the coverage in percent of intervals, and of differences."""
    rng = np.random.default_rng(2026)
    measures = [get_measure(measure) for measure in LARGE_MEASURES]
    values, limits = [], []
    for seed in range(LARGE_TRUTH):
        truth, a, b = large_sample(rng, *LARGE[name])
        tables = [cb.Contingency.from_labels(truth, pred) for pred in (a, b)]
        each = np.array([[measure.score_table(table) for measure in measures] for table in tables])
        values.append([each[0], each[1] - each[0]])
        if seed < LARGE_SAMPLES:
            own = cb.evaluate(
                tables[0], measures=LARGE_MEASURES, confidence_level=0.95, rng=seed
            ).rows
            pairs = [
                cb.compare(truth, a, b, measure=one, rng=seed).difference("b", "a")
                for one in measures
            ]
            limits.append([[(found.low, found.high) for found in some] for some in (own, pairs)])
    low, high = np.moveaxis(limits, -1, 0)
    true = np.mean(values, axis=0)
    return 100 * ((low <= true) & (true <= high)).mean(axis=0).T


def print_large():
    print("Coverage in percent of 95 % intervals, of values / of differences of two clusterings.")
    head("population", *LARGE_MEASURES)
    print_rows(zip(LARGE), large_coverage, LARGE)


def patients_sample(rng, patients):
    """Return classes, clusters and patients: each patient has its own share of right objects."""
    who = np.arange(PATIENT_OBJECTS) % patients
    truth, elsewhere = rng.integers(0, PATIENT_CLASSES, (2, PATIENT_OBJECTS))
    right = rng.random(PATIENT_OBJECTS) < rng.beta(2, 1, patients)[who]
    return truth, np.where(right, truth, elsewhere), who


def patients_coverage(patients):
    """Return, for each measure, the coverage in percent by objects and by patients."""
    rng = np.random.default_rng([2026, patients])
    values, limits = [], []
    for seed in range(LARGE_TRUTH):
        truth, pred, who = patients_sample(rng, patients)
        values.append([get_measure(measure)(truth, pred) for measure in MEASURES])
        if seed < LARGE_SAMPLES:
            options = {"method": "jackknife", "rng": seed}  # some have fewer cells than are large
            made = [
                [
                    cb.interval(truth, pred, measure=measure, groups=by, **options)
                    for by in (None, who)
                ]
                for measure in MEASURES
            ]
            limits.append([[(one.low, one.high) for one in both] for both in made])
    low, high = np.moveaxis(limits, -1, 0)
    true = np.mean(values, axis=0)[:, None]
    return 100 * ((low <= true) & (true <= high)).mean(axis=0)


def print_patients():
    print("Coverage in percent of 95 % intervals of large tables, by objects / patients.")
    head("patients", *MEASURES)
    print_rows(zip(PATIENTS), patients_coverage, PATIENTS)


def print_grouped():
    wrong = (0.5, 1, 2)
    for what, names, jobs in (
        ("values", GROUPS, [(grouped_sample, groups, (2,)) for groups in GROUPS]),
        ("differences", GROUPS, [(grouped_sample, groups, (2, 3)) for groups in GROUPS]),
        ("values", wrong, [(rarely_wrong_groups, 20, some) for some in wrong]),
    ):
        print(f"Coverage in percent of 95 % intervals of {what}, by objects / groups of")
        print(f"{OBJECTS_PER_GROUP} objects.")
        head("wrong of 20 groups" if names is wrong else "groups", *MEASURES)
        print_rows(zip(names), grouped_coverage, jobs)
        print()


def print_hardly_wrong():
    print("Coverage in percent of a 95 % interval.")
    head("population", "wrong", *HARDLY_WRONG_MEASURES)
    n = HARDLY_WRONG_OBJECTS
    cases = list(product(HARDLY_WRONG, (0.2, 0.5, 1, 2, 5)))
    populations = [hardly_wrong(n, wrong, *HARDLY_WRONG[name]) for name, wrong in cases]
    options = HARDLY_WRONG_SAMPLES, False, HARDLY_WRONG_MEASURES, METHODS[:1]
    print_rows(cases, coverage, [(p, n, *options) for p in populations])


def print_rows(names, function, jobs):
    """Print what the function returns of each job, for each measure one rate or several."""
    with workers() as pool:
        for name, found in zip(names, pool.map(function, jobs), strict=True):
            cells = [" / ".join(f"{rate:.0f}" for rate in np.atleast_1d(rates)) for rates in found]
            row(*(part if isinstance(part, str) else f"{part:,}" for part in name), *cells)


def workers():
    return ProcessPoolExecutor(int(os.environ.get("WORKERS", os.cpu_count() or 1)))


def print_balanced():
    populations = [
        (name, n, POPULATIONS[name])
        for name, n in product(POPULATIONS, (200, 1000))
        if "skewed" in name or "2 × 2" in name
    ]
    rare = [
        (f"rarest of four classes, {m:g} wrong", 1000, rare_wrong(1000, m)) for m in (0.5, 1, 2)
    ]
    print_coverage("population", [*populations, *rare], SAMPLES[0], balanced=True)


def print_paired():
    print("Coverage in percent of a 95 % interval of the difference b - a.")
    head("population", "n", *PAIRED_MEASURES)
    jobs = list(product(PAIRED, PAIRED_OBJECTS))
    print_rows(jobs, paired_coverage, jobs)


def print_coverage(first, populations, samples, balanced=False):
    """Print a row for each name, n and population."""
    print(f"Coverage in percent of a 95 % interval: {' / '.join(METHODS)}.")
    head(first, "n", *MEASURES)
    jobs = [(p, n, samples, balanced, MEASURES, METHODS) for _, n, p in populations]
    print_rows([(name, n) for name, n, _ in populations], coverage, jobs)
    print()


def print_times():
    rng = np.random.default_rng(0)
    head("2,000 resamples", "measure", "time", left=2)
    for shape, mean in (((10, 12), 83), ((100, 120), 83)):
        table = cb.Contingency.from_counts(rng.poisson(mean, shape))
        for measure in MEASURES:
            _, took = timed(lambda: cb.interval(table, measure=measure, rng=0))  # noqa: B023
            row(f"{shape[0]:,} × {shape[1]:,}, n = {table.n:.1e}", measure, f"{took:.2f} s")


def main():
    print_times()
    print()
    few = [(wrong, n, few_wrong(n, wrong)) for wrong, n in product(WRONG, OBJECTS_FEW_WRONG)]
    print_coverage("objects wrong", few, SAMPLES[0])
    others = [(name, n, p) for (name, p), n in product(POPULATIONS.items(), OBJECTS)]
    print_coverage("population", others, SAMPLES[1])


if __name__ == "__main__":
    asked = {
        "wrong": print_hardly_wrong,
        "paired": print_paired,
        "best": print_best,
        "levels": print_levels,
        "tasks": print_tasks,
        "groups": print_grouped,
        "balanced": print_balanced,
        "large": print_large,
        "patients": print_patients,
    }
    asked.get("".join(sys.argv[1:]), main)()
