"""
What changed between two nights of topics
=========================================

Topics are found again every night: some documents are new, some are gone, and the topics are
numbered anew. Which topic is yesterday's, what was split or merged, and did it get better? No true
topics are needed for the first two questions, and 200 judgements for the third.
"""

import importlib
import inspect

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

import clusterbits as cb

texts, subjects = {}, {}
for subject in ("fft", "interpolate", "linalg", "ndimage", "optimize", "signal", "stats"):
    module = importlib.import_module(f"scipy.{subject}")
    for name in module.__all__:
        if inspect.isfunction(function := getattr(module, name)):
            texts[f"{subject}.{name}"] = inspect.getdoc(function)[:1000]
            subjects[f"{subject}.{name}"] = subject


def find_topics(documents, n_topics):
    """Return the topic of each document: words weighted by tf-idf, clustered by k-means."""
    vectors = make_pipeline(
        TfidfVectorizer(stop_words="english", min_df=3),
        TruncatedSVD(30, random_state=0),
        Normalizer(),
    ).fit_transform([texts[document] for document in documents])
    labels = KMeans(n_topics, n_init=5, random_state=0).fit_predict(vectors)
    return dict(zip(documents, labels.tolist(), strict=True))


documents = list(texts)
monday = find_topics(documents[:-25], 15)
tuesday = find_topics(documents[20:], 18)
changes = cb.diff(monday, tuesday)
changes.plot()

# %%
# Behind an arrow is the name that a topic carries over. In words:
print(changes)

# %%
# The labels of today in yesterday's names; fresh topics get fresh numbers.
print(list(changes.labels.items())[:3])

# %%
# Is it better? Pairs of documents to judge; here their subjects answer for people.
asked = changes.questions(200, rng=0)
pairs = zip(asked["a"], asked["b"], strict=True)
asked["together"] = [subjects[a] == subjects[b] for a, b in pairs]
print(changes.judged(asked))
plt.show()
