"""Finds and opens the shared library of Plait."""
import ctypes
import os
import sys

from . import native

_library = None


def load(path=None):
    """The library, with all functions typed; opened at the first call, and the same ever after.

    path, or the environment's PLAIT_LIBRARY, names a file. Else it is searched beside this package, as in a wheel, and then
    where the system searches.
    """
    global _library
    if _library is None:
        _library = _open(path or os.environ.get("PLAIT_LIBRARY"))
    elif path and os.path.realpath(path) != os.path.realpath(_library._name):
        raise RuntimeError(f"Plait is already open, as {_library._name}")
    return _library


def _open(path):
    names = {"win32": ["plait.dll"], "darwin": ["libplait.1.dylib"]}.get(sys.platform, ["libplait.so.1"])
    beside = [os.path.join(os.path.dirname(os.path.abspath(__file__)), name) for name in names]
    places = [path] if path else [name for name in beside if os.path.exists(name)] + names
    failures = []
    for place in places:
        try:
            library = native.bind(ctypes.CDLL(place))
        except (OSError, AttributeError) as error:
            failures.append(str(error))
            continue
        info = native.plait_library_info()
        library.plait_library_query(ctypes.byref(info))
        if info.version_major != native.PLAIT_VERSION_MAJOR:
            raise ImportError(f"{place} is version {info.version_major} of Plait; these bindings are for version "
                              f"{native.PLAIT_VERSION_MAJOR}")
        return library
    raise ImportError("the library of Plait could not be opened; set PLAIT_LIBRARY to its path (" + "; ".join(failures) + ")")
