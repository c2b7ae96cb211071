#!/usr/bin/env bash
# The tests with other interpreters, requirements and instruction sets than those at hand, in an environment of their own:
#
#   PYTHON=python3.11 tools/compatibility.sh oldest       every requirement, also of the build, at its lower bound (its last patch)
#   PYTHON=python3.13 tools/compatibility.sh newest       the newest of everything
#   PYTHON=python3.14t tools/compatibility.sh threaded    free-threaded, with the requirements that have wheels for it
#   tools/compatibility.sh x86_64_v2                      the kernels of that instruction set; also x86_64_v3, x86_64_v4
#
# What follows is handed to pytest: `tools/compatibility.sh newest tests/unit`. Environments
# and builds stay in build/ (FOLDER: another place for the environments).
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?oldest, newest, threaded, x86_64_v2, x86_64_v3 or x86_64_v4}
shift

name=$kind-$("${PYTHON:-python3}" -c 'import sys; print(sys.version.split()[0])')
environment=${FOLDER:-$PWD/build/environments}/$name
"${PYTHON:-python3}" -m venv --clear "$environment"
export PATH="$environment/bin:$PATH"
pip install --quiet --upgrade pip

list_requirements() { # of the build and of the tests
  python - <<'EOF'
import tomllib

with open("pyproject.toml", "rb") as file:
    settings = tomllib.load(file)
project = settings["project"]
for part in (settings["build-system"]["requires"], project["dependencies"], project["optional-dependencies"]["test"]):
    print(*part, sep="\n")
EOF
}
list_requirements | sort -u > "$environment/requirements.txt"

settings=("-Cbuild-dir=build/$name")
case $kind in
  oldest) sed -i 's/>=\(.*\)/==\1.*/' "$environment/requirements.txt" ;;
  newest) ;;
  threaded)
    # Tests of what has no wheel for this interpreter are skipped, and the list of skips at the end says so.
    export PYTHON_GIL=0
    while read -r requirement; do
      pip install --quiet --only-binary :all: "$requirement" 2>/dev/null || echo "no wheel: $requirement"
    done < "$environment/requirements.txt"
    : > "$environment/requirements.txt"
    ;;
  x86_64_v*)
    export DRR_ISA=$kind
    settings+=(-Csetup-args=-Dportable=true)
    ;;
  *) echo "unknown kind $kind" >&2 && exit 2 ;;
esac
pip install --quiet -r "$environment/requirements.txt"
pip install --quiet --no-build-isolation --no-deps "${settings[@]}" .
python -c 'import drr; drr.show_config()'
python -m pytest -q "$@"
if [ "$kind" = threaded ]; then python -m tools.attack concurrency; fi
