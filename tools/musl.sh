#!/usr/bin/env bash
# A wheel for musl (SYSTEMS=x86_64-linux-musl tools/wheels.sh python3.13), loaded there: a CPython of the same version,
# compiled for musl by zig (pip install ziglang) from its source, NumPy from its wheel for musl, and one problem solved by the
# compiled core with every instruction set. scikit-learn has no wheels for musl, so the Python layer cannot run there.
#
#   tools/musl.sh Python-3.13.15.tar.xz dist/density_ratio_rescoring-…-cp313-cp313-musllinux_1_2_x86_64.whl
#
# NumPy needs musl 1.2.5: of Debian 13's package musl, /usr/lib/x86_64-linux-musl/libc.so (MUSL: another place of it), and
# Python itself the loader /lib/ld-musl-x86_64.so.1 of any. What is built stays in build/emulate/musl.
set -euo pipefail
cd "$(dirname "$0")/.."
archive=${1:?the source of CPython}
wheel=${2:?a wheel}
root=$PWD/build/emulate/musl
tag=$(echo "$wheel" | grep -o 'cp3[0-9]*' | head -1)
name=cpython-${tag#cp}-x86_64-linux-musl
zig=$(python -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / "zig")')

if [ ! -x "$root/source/python" ]; then
  mkdir -p "$root/source"
  tar -xf "$archive" --strip-components=1 -C "$root/source"
  # Libraries of this system are of no use. The two functions came with musl 1.2.5; configure does not see that this is musl.
  (cd "$root/source" &&
    ./configure --quiet --without-ensurepip --disable-test-modules OPT='-O0 -DNDEBUG' \
      CC="$zig cc -target x86_64-linux-musl -dynamic -fno-sanitize=undefined" \
      PKG_CONFIG=false ac_cv_func_preadv2=no ac_cv_func_pwritev2=no &&
    make -s -j "$(nproc)" SOABI="$name" EXT_SUFFIX=".$name.so")
fi

rm -rf "$root/packages"
python -m pip install --quiet --no-compile --only-binary :all: --platform musllinux_1_2_x86_64 --implementation cp \
  --python-version "${tag:2:1}.${tag:3}" --target "$root/packages" numpy
unzip -q -o "$wheel" -d "$root/packages"

cat > "$root/solve.py" <<'END'
import numpy as np
from drr._native import core, instruction_set

rows = np.random.default_rng(0).normal(size=(2000, 8))
target = rows[:200].mean(0) + 0.3
floor = core.find_floor(rows, target, None, "min_norm_point", 100, 2, None)
dual = core.solve_dual(rows, target, 0.1, n_threads=2)
weights = np.exp(rows @ dual["theta"])
discrepancy = np.linalg.norm(weights @ rows / weights.sum() - target)
assert floor["status"] == dual["status"] == "converged"
assert floor["value"] < 1e-14 and abs(discrepancy - 0.1) < 1e-14, (floor["value"], discrepancy)
try:
    core.solve_dual(rows, target[:3], 0.1)
except ValueError as error:  # an exception of C++ leaves its module
    print(instruction_set, core.compiler, "discrepancy", discrepancy, "error:", error)
else:
    raise AssertionError("a target of another length was accepted")
END
run() { PYTHONPATH=$root/packages "${MUSL:-/usr/lib/x86_64-linux-musl/libc.so}" "$root/source/python" "$@"; }
for set in $(run -c 'from drr._native import available_instruction_sets; print(*available_instruction_sets())'); do
  DRR_ISA=$set run "$root/solve.py"
done
