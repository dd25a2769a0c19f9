"""
Score a segmentation: merged cells, split cells
===============================================

Touching cells are merged by a plain threshold, and split by too eager a search for their centres.
Both cost bits; the segmentation in between saves most, and finds most whole cells. The background
is left out of the bits with ``ignore=0``, or it would dominate them. The image is synthetic.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import ndimage

import clusterbits as cb

rng = np.random.default_rng(4)
rows, columns = np.mgrid[:160, :240]
centres = np.mgrid[14:160:26, 14:240:26].reshape(2, -1).T + rng.uniform(-5, 5, (54, 2))
distances = np.hypot(rows - centres[:, :1, None], columns - centres[:, 1:, None])
truth = np.where(distances.min(axis=0) < 11.5, 1 + distances.argmin(axis=0), 0)
image = ndimage.gaussian_filter(1.0 * (truth > 0), 2) + rng.normal(0, 0.1, truth.shape)

# %%
# Segment three times: connected parts, and each pixel with its nearest centre, where centres are
# looked for 6 pixels or 1 pixel apart.
foreground = ndimage.gaussian_filter(image, 1) > 0.5
depth = ndimage.distance_transform_edt(foreground) + rng.normal(0, 0.1, truth.shape)


def grow(distance):
    """Return the nearest centre of each pixel of the foreground."""
    peaks = depth == ndimage.maximum_filter(depth, 2 * distance + 1)
    labels, _ = ndimage.label(peaks & (depth > 4))
    _, (row, column) = ndimage.distance_transform_edt(labels == 0, return_indices=True)
    return np.where(foreground, labels[row, column], 0)


found = {
    "connected parts": ndimage.label(foreground)[0],
    "far centres": grow(6),
    "near centres": grow(1),
}
tables = {name: cb.Contingency.from_images(truth, pred, ignore=0) for name, pred in found.items()}
scores = cb.evaluate(tables, measures=["share_saved", "vi_merge", "vi_split"])
print(scores)

# %%
# ``vi_merge`` is what merged cells cost, ``vi_split`` what split cells cost, in bits per pixel.
# Which cells were merged? The connected part, its largest cell, another cell in it, and its pixels:
print(cb.explain(tables["connected parts"], top=4).to_frame("false_merges"))

# %%
# And which were split by the near centres? The cell, two segments, and the pixels in the second:
print(cb.explain(tables["near centres"], top=4).to_frame("false_splits"))

# %%
# How many cells are found, and how well? Panoptic quality counts whole cells, and needs the
# background, whose pixels count in unions.
quality = {name: cb.images.panoptic_quality(truth, pred) for name, pred in found.items()}
print({name: round(value, 3) for name, value in quality.items()})

# %%
figure, axes = plt.subplots(2, 2, figsize=(9, 6.6), layout="constrained")
colours = plt.get_cmap("gist_rainbow")(rng.permutation(np.linspace(0, 1, 256)))
colours[0] = 1, 1, 1, 1
for ax, (name, labels) in zip(axes.flat, ({"truth": truth} | found).items(), strict=True):
    ax.imshow(colours[labels % 256], interpolation="nearest")
    ax.set_title(name)
    if name in found:
        saved = scores["share_saved"][name]
        ax.set_title(f"{name}: {saved:.2f} saved, panoptic quality {quality[name]:.2f}")
    ax.axis("off")
plt.show()
