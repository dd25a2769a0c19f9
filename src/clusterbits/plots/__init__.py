"""Plots: what the `plot` method of each result draws.

A function takes a result, the axes to draw on and options, and returns the axes. Without axes it
makes a pyplot figure, which notebooks show. Large results are drawn in part, and say so.

    Scores.plot(measure="ari")     a leaderboard, or the groups, by this measure
    Scores.plot(over="size_*")     bits over the number in place of the star: see
                                   `score_plots.draw_scores`
    Explanation.plot(part=...)     "clusters", "classes", or "path", the merge path
    Changes.plot(then=[...])       later changes, from left to right, with names for the `steps`:
                                   see `change_plots.draw_changes`

Other results have no options.

>>> import clusterbits as cb
>>> ax = cb.Contingency.from_counts([[9, 1], [2, 8]]).plot()
>>> ax.get_xlabel(), ax.get_ylabel()
('cluster', 'class')

The figures of the paper have several axes: their functions return a ``Figure`` of their own, which
`save_figure` writes as PNG and SVG.
"""
