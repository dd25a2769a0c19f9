"""Pictures: what the `plot` method of each result draws.

Every function takes a result and the axes to draw on, and returns the axes. Without axes it makes a
pyplot figure, which notebooks show. Large results are drawn in part, and say so.

>>> import clusterbits as cb
>>> ax = cb.Contingency.from_counts([[9, 1], [2, 8]]).plot()
>>> ax.get_xlabel(), ax.get_ylabel()
('cluster', 'class')

The figures of the paper have several axes: their functions return a ``Figure`` of their own, which
`save_figure` writes as PNG and SVG.
"""
