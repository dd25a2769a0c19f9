"""Labels that a result keeps, and the same objects under other names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from clusterbits.labels.labeling import Ids, Labels
from clusterbits.reading.type_checks import to_list
from clusterbits.system.immutable import read_only
from clusterbits.table.label_names import as_names


def keep_labels(labels: Labels) -> Labels:
    """Return labels that share no array with the caller, in half the memory if that will do.

    Of the ids, explicit ones are kept.
    """
    status = None if labels.status is None else read_only(labels.status.copy())
    codes, limit = labels.codes, np.iinfo(np.int32)
    small = codes.dtype == np.int64 and limit.min <= codes.min() and codes.max() <= limit.max
    codes = read_only(codes.astype(np.int32 if small else codes.dtype))
    ids = labels.ids if labels.has_explicit_ids else None
    kept_ids = None if ids is None else Ids(to_list(ids.values))
    return replace(labels, codes=codes, status=status, ids=kept_ids)


def rename_objects(labels: Labels, names: Mapping[Any, Any]) -> Any:
    """Return the new name of each object's label: an array, or a dict if objects have explicit ids.

    The array is of int64 if all names are such integers. Objects without a label have the name of
    None, or None.
    """
    positions, own = labels.named()
    renamed = [names[name] for name in own.tolist()]
    if (positions == len(own)).any():
        renamed.append(names.get(None))
    whole = all(type(name) is int and -(2**63) <= name < 2**63 for name in renamed)
    values = (np.array(renamed, dtype=np.int64) if whole else as_names(renamed))[positions]
    if not labels.has_explicit_ids or labels.ids is None:
        return values
    return dict(zip(to_list(labels.ids.values), values.tolist(), strict=True))
