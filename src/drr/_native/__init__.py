"""Choose the compiled core that fits this processor.

The core is built once per instruction set. The choice tests every feature the compiler was allowed to use, not just one
of them. The environment variable ``DRR_ISA`` overrides it, for testing and for comparing machines.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any

# From best to most portable. "generic" is the only one on processors other than x86-64.
INSTRUCTION_SETS = ("x86_64_v4", "x86_64_v3", "x86_64_v2", "generic")


def _is_built(name: str) -> bool:
    return importlib.util.find_spec(f"drr._native._core_{name}") is not None


def _is_supported(name: str) -> bool:
    from drr._native import _cpu  # after _check_interpreter

    return name == "generic" or _cpu.supports_x86_64_level(int(name[-1]))


def available_instruction_sets() -> tuple[str, ...]:
    """Return the instruction sets that are built in and run on this machine, best first."""
    return tuple(name for name in INSTRUCTION_SETS if _is_built(name) and _is_supported(name))


def _choose() -> str:
    available = available_instruction_sets()
    requested = os.environ.get("DRR_ISA", "")
    if not requested:
        if not available and _is_supported("x86_64_v2"):
            raise ImportError(
                "drr was built for the processor of another machine. Install it again on this machine, or build it "
                "for all with the option `portable` (pip install . -Csetup-args=-Dportable=true)."
            )
        if not available:
            raise ImportError(
                "drr needs a processor with at least the x86-64-v2 instructions (SSE4.2, POPCNT), which this machine "
                "lacks. Building the package from source does not help: older processors are not supported."
            )
        return available[0]
    if requested in available:
        return requested
    reason = (
        "is not the name of an instruction set"
        if requested not in INSTRUCTION_SETS
        else "is not built into this installation"
        if not _is_built(requested)
        else "cannot run on this processor"
    )
    raise ImportError(f"DRR_ISA={requested!r} {reason}; unset it or choose one of: {', '.join(available)}")


def _check_interpreter() -> None:
    """Raise ImportError in a second interpreter of the process, where loading the core may never return."""
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    if importlib.util.find_spec(name) is None:  # Pythons other than CPython
        return
    interpreters = importlib.import_module(name)
    if interpreters.get_current() != interpreters.get_main():
        raise ImportError(
            "drr works in the main interpreter of a process only; use threads or processes instead"
        )


_check_interpreter()
instruction_set = _choose()

if TYPE_CHECKING:
    from drr._native import _core

    core = _core
else:
    core: Any = importlib.import_module(f"drr._native._core_{instruction_set}")

__version__: str = core.version


def show_config() -> None:
    """Print what this installation is built from, and what it uses on this machine.

    Examples
    --------
    >>> import drr
    >>> drr.show_config()
    drr: ...
    instruction set: ...
    ...
    """
    import numpy
    import scipy
    import sklearn

    from drr._native.threads import resolve_n_threads

    lines = {
        "drr": __version__,
        "instruction set": f"{instruction_set} (available: {', '.join(available_instruction_sets())})",
        "vector instructions": core.simd,
        "compiler": core.compiler,
        "Eigen": core.eigen_version,
        "threads": f"{resolve_n_threads(None)} by default",
        "python": sys.version.split()[0],
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
    for name, value in lines.items():
        print(f"{name + ':':<21}{value}")
