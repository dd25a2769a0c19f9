"""
Count on Spark, score here
==========================

One job counts all clusterings, and only their tables come back. Nothing of clusterbits is needed on
the workers. Run it with a Parquet file of your own, or without one, and Spark makes ten million
labels: ``python count_with_spark.py [LABELS.parquet]``. On a cluster, give the master as usual,
with ``spark-submit`` or ``SPARK_REMOTE``.
"""

import sys

from pyspark.sql import SparkSession

import clusterbits as cb

# sphinx_gallery_thumbnail_path = '_static/engine.png'

spark = SparkSession.builder.appName("clusterbits").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
if len(sys.argv) > 1:
    labels = spark.read.parquet(sys.argv[1])
else:
    labels = spark.range(10_000_000).selectExpr(
        "id % 50 as label",
        "case when rand(1) < 0.9 then id % 50 else id % 7 end as k50",
        "id % 10 as k10",
    )

# One job: each worker counts its rows, the counts are added up, and 2 × |C|·|K| rows come back.
tables = cb.Contingency.from_frame(labels, truth="label", pred="k*")
print(cb.evaluate(tables, measures=["q0", "q2", "ari"]).sorted_by("q0"))
spark.stop()
