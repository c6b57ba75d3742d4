"""What the tests of this folder share."""
import contextlib

import numpy as np


@contextlib.contextmanager
def raises(kind, *parts):
    """What is inside fails so, and its message has these parts."""
    try:
        yield
    except kind as error:
        missing = [part for part in parts if part not in str(error)]
        assert not missing, f"{error!s} lacks {missing}"
    else:
        raise AssertionError(f"no {kind.__name__}")


def same(ours, theirs):
    """Type, shape and bytes."""
    ours = ours.to_numpy() if hasattr(ours, "to_numpy") else np.asarray(ours)
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, f"{ours!r} is not {theirs!r}"
    assert ours.tobytes() == theirs.tobytes(), f"{ours!r} is not {theirs!r}"


def refused_alike(ours, theirs):
    """Both fail."""
    for call in (ours, theirs):
        try:
            call()
        except Exception:
            continue
        raise AssertionError("not refused")
