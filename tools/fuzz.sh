#!/usr/bin/env bash
# The Python-free core under libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer.
#
#   tools/fuzz.sh 600                    ten minutes; the corpus in build/fuzz/corpus is kept and gone on from
#   tools/fuzz.sh 0 build/fuzz/crash-…   one input again
#
# Needs clang with its run-time libraries (Debian and Ubuntu: clang, libclang-rt-dev), meson, ninja and Eigen. CXX
# chooses another clang, BUILD=directory another place than build/.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?seconds to fuzz}
shift
build=${BUILD:-build}/fuzz
export CXX=${CXX:-clang++}
flags="-fno-omit-frame-pointer -g -O1"
[ -d "$build" ] || meson setup "$build" -Dpython=false -Dx86_64_v2=false -Dx86_64_v4=false -Dbuildtype=debug -Doptimization=1 -Db_ndebug=false \
  -Db_sanitize=address,undefined -Db_lundef=false "-Dcpp_args=-fsanitize=fuzzer-no-link -fno-omit-frame-pointer"
meson compile -C "$build"
library=$(find "$build" -name 'libdrr_core_*.a' | head -1)
# The container checks of libstdc++ are on: a wrong index is found where it is made.
$CXX -std=c++20 $flags -D_GLIBCXX_ASSERTIONS -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
  -Isrc/cpp/include tools/fuzz/core.cpp "$library" -pthread -o "$build/fuzz_core"

# A report is a failure, not a remark. Memory that the input asks for is small, so a large request is a defect.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1
if [ $# -gt 0 ]; then
  exec "$build/fuzz_core" "$@"
fi
mkdir -p "$build/corpus"
exec "$build/fuzz_core" -max_total_time="$seconds" -max_len=2000 -len_control=20 -timeout=20 -rss_limit_mb=3000 \
  -print_final_stats=1 -artifact_prefix="$build/" "$build/corpus"
