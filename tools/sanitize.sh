#!/usr/bin/env bash
# The core, its C++ tests and chosen Python tests under a sanitizer.
#
#   tools/sanitize.sh address            AddressSanitizer and UndefinedBehaviorSanitizer
#   tools/sanitize.sh thread             ThreadSanitizer
#   tools/sanitize.sh address tests/unit/test_dual.py …    other Python tests than the chosen ones
#
# Needs g++ or clang, meson, ninja, pybind11, Cython, Eigen and doctest, as in CONTRIBUTING. BUILD=directory keeps the
# build elsewhere than in build/.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?address or thread}
shift
case $kind in
  address) sanitizers=address,undefined libraries="libasan.so libubsan.so" ;;
  thread) sanitizers=thread libraries="libtsan.so" ;;
  *) echo "unknown sanitizer $kind: address or thread" >&2 && exit 2 ;;
esac
tests=("$@")
if [ ${#tests[@]} -eq 0 ]; then
  tests=(tests/unit/test_tilt.py tests/unit/test_floor.py tests/unit/test_dual.py tests/unit/test_hard_cases_floor.py
    tests/unit/test_hard_cases_dual.py tests/unit/test_validation.py tests/unit/test_features.py tests/unit/test_ranking.py
    tests/unit/test_score.py tests/contract/test_threads_and_sets.py tests/property/test_attack_properties.py)
fi

build=${BUILD:-build}/$kind
# One instruction set is enough: the other has the same sources. Frame pointers and -O1 keep the reports readable.
[ -d "$build" ] || meson setup "$build" -Dcore_tests=true -Dx86_64_v2=false -Dbuildtype=debug -Doptimization=1 \
  -Db_ndebug=false -Db_sanitize=$sanitizers -Db_lundef=false -Dcpp_args=-fno-omit-frame-pointer
meson compile -C "$build"

# A report is a failure, not a remark.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
export ASAN_OPTIONS=detect_leaks=1
meson test -C "$build" --print-errorlogs --timeout-multiplier 10

# The interpreter itself is not instrumented: the sanitizer's libraries must come first, and libstdc++ with them, or a C++
# exception ends the process. What Python never gives back counts as a leak, so leaks are left to the C++ tests.
meson install -C "$build" --destdir installed --quiet
package=$(dirname "$(find "$PWD/$build/installed" "$build/installed" -path '*/drr/__init__.py' 2>/dev/null | head -1)")
preload=$(for name in $libraries libstdc++.so; do "${CXX:-g++}" -print-file-name=$name; done | tr '\n' ' ')
export ASAN_OPTIONS=detect_leaks=0 DRR_SANITIZED=$kind PYTHONPATH=$(realpath "$package/..")
LD_PRELOAD=$preload python -c '
import sys
# An editable installation puts itself before everything else; the instrumented package is the one on the path.
sys.meta_path = [finder for finder in sys.meta_path if "esonpy" not in type(finder).__name__]
import drr, pytest
print("under test:", drr.__file__)
sys.exit(pytest.main(sys.argv[1:]))
' -q -p no:cacheprovider "${tests[@]}"
