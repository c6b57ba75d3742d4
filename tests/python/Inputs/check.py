"""Shared by the tests of this folder."""
import contextlib
import sys

import numpy as np

try:
    from numpy.exceptions import AxisError
except ImportError:  # before NumPy 1.25
    AxisError = np.AxisError


@contextlib.contextmanager
def raises(kind, *parts):
    """Checks that its body raises `kind`, with these parts in the message."""
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


# ---- cases that two libraries are given ----

def _outcome(case, names):
    try:
        return case(names), None
    except Exception as error:
        return None, error


def _is_caught_alike(error, theirs):
    """Whether what is ready for NumPy's error is ready for ours: AxisError, IndexError, TypeError …"""
    kinds = [AxisError, IndexError, OverflowError, TypeError, ValueError, RuntimeError]
    return all(isinstance(error, kind) for kind in kinds if isinstance(theirs, kind))


def _same_all(ours, theirs):
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs), f"{len(ours)} results, not {len(theirs)}"
        for one, other in zip(ours, theirs):
            same(one, other)
    else:
        same(ours, theirs)


def _difference(case, theirs, ours):
    """Returns the difference between the two, or None."""
    wanted, refused = _outcome(case, theirs)
    made, error = _outcome(case, ours)
    if refused or error:
        if refused and str(error) and _is_caught_alike(error, refused):
            return None
        return f"NumPy {refused!r}, ours {error!r}"
    try:
        _same_all(made, wanted)
    except AssertionError as different:
        return str(different)
    return None


def compare_cases(cases, theirs, ours):
    """Each a function of one library's names; both give the same, or both refuse, with errors that are caught alike."""
    differences = [f"{what}: {text}" for what, case in cases.items() if (text := _difference(case, theirs, ours))]
    print(f"{len(cases)} comparisons")
    sys.exit("\n".join(differences) or 0)
