#!/usr/bin/env bash
# The package on another architecture, emulated: a Debian 12 of it in build/emulate, NumPy, SciPy and scikit-learn from their
# wheels there, the package installed from source, and tests. Needs root, qemu-user-static and debootstrap:
#
#   sudo tools/emulate.sh arm64                  the tests of the solvers, the oracles and the kept models
#   sudo tools/emulate.sh arm64 tests/unit       other tests
#   sudo WHEEL=dist/….whl tools/emulate.sh arm64 that wheel instead of the source
#
# Only the C++ compiler runs without emulation: zig (pip install ziglang), a static program for this machine that compiles for
# the other. The kept models were written on x86-64; their test compares what they say there and here.
set -euo pipefail
cd "$(dirname "$0")/.."
architecture=${1:?arm64}
shift
if [ "$architecture" != arm64 ]; then echo "wheels exist for arm64 only, not for $architecture" >&2 && exit 2; fi
tests=("$@")
if [ ${#tests[@]} = 0 ]; then
  tests=(tests/unit/test_calibration.py tests/unit/test_floor.py tests/unit/test_dual.py
    tests/unit/test_tilt.py tests/oracle tests/contract/test_kept_models.py)
fi
root=$PWD/build/emulate/$architecture

# The kernel hands programs of that architecture to qemu, which it holds open: the other root need not contain it.
formats=/proc/sys/fs/binfmt_misc
[ -e $formats/register ] || mount -t binfmt_misc none $formats
[ -e $formats/qemu-aarch64 ] || printf '%s' ':qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:/usr/bin/qemu-aarch64-static:F' > $formats/register

if [ ! -x "$root/usr/bin/python3" ]; then
  debootstrap --arch="$architecture" --variant=minbase --include=python3,python3-venv,python3-dev bookworm "$root"
fi
mkdir -p "$root/source" "$root/wheels" "$root/opt/zig"

# Everything from the package index is installed from outside, as files for that architecture and its Python.
platforms=()
for name in manylinux_2_28 manylinux_2_27 manylinux_2_26 manylinux_2_24 manylinux_2_17 manylinux2014; do
  platforms+=(--platform "${name}_aarch64")
done
python - <<'EOF' > "$root/wheels/requirements.txt"
import tomllib

with open("pyproject.toml", "rb") as file:
    settings = tomllib.load(file)
needed = settings["build-system"]["requires"] + settings["project"]["dependencies"]
print(*(each.split(";")[0] for each in needed), "pytest", "hypothesis", "mpmath", "pandas", "skops", "packaging", "pip", sep="\n")
EOF
site=$root/environment/lib/python3.11/site-packages
if [ ! -d "$site/numpy" ]; then
  chroot "$root" python3 -m venv --without-pip /environment
  python -m pip install --quiet --no-compile --only-binary :all: --python-version 3.11 --implementation cp "${platforms[@]}" \
    --target "$site" -r "$root/wheels/requirements.txt"
  # pip wrote the commands for the interpreter outside.
  find "$site/bin" -type f -exec sed -i '1s|^#!.*python.*|#!/environment/bin/python3|' {} +
  cp "$site/bin/"* "$root/environment/bin/"
fi

zig=$(python -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent)')
cp -r "$zig/zig" "$zig/lib" "$root/opt/zig/"
for language in cc c++; do
  # The headers of Python are in /usr/include; those of the C library must come from zig.
  printf '#!/bin/sh\nexec /opt/zig/zig %s -target aarch64-linux-gnu.2.28 -idirafter /usr/include "$@"\n' "$language" \
    > "$root/usr/local/bin/zig-$language"
  chmod +x "$root/usr/local/bin/zig-$language"
done
rm -rf "$root/source" && mkdir "$root/source"
git ls-files | tar -cT - | tar -x -C "$root/source"
if [ -n "${WHEEL:-}" ]; then cp "$WHEEL" "$root/wheels/"; fi

cat > "$root/run.sh" <<'EOF'
set -euo pipefail
cd /source
export CC=zig-cc CXX=zig-c++ OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 HOME=/root PYTHONDONTWRITEBYTECODE=1
# zig's archiver and linker are parts of its compiler.
export AR='/opt/zig/zig ar'
. /environment/bin/activate
package=${1:-.}
shift
python -m pip install --quiet --no-index --no-build-isolation --no-deps --force-reinstall "$package"
cd / && python -c 'import drr; drr.show_config()' && cd /source
python -m pytest -q -p no:cacheprovider "$@"
EOF
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  chroot "$root" bash /run.sh "${WHEEL:+/wheels/$(basename "${WHEEL:-}")}" "${tests[@]}"
