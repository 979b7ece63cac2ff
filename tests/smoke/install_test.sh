#!/usr/bin/env bash
# install_test.sh CMAKE BUILD_FOLDER: installs into a new folder of the build tree, moves it, and runs what was
# installed from an empty folder. Installed programs must find the installed data, wherever the folder stands.
set -euo pipefail
cmake=$1
work=$(mktemp -d "$2/install-test.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
unset SIMTRAIN_DATA

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

"$cmake" --install "$2" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; fail "cmake --install"; }
mv -- "$work/first" "$work/prefix"

for program in simtrain mpitrain calibrate; do
  [[ -x $work/prefix/bin/$program ]] || fail "bin/$program is not installed"
done
for folder in platforms scenarios profiles page javascript; do
  installed=$work/prefix/share/simtrain/$folder
  [[ -n $(find "$installed" -type f) ]] || fail "share/simtrain/$folder holds no file"
  [[ -z $(find "$installed" -type l) ]] || fail "share/simtrain/$folder points back into the source tree"
done

mkdir -- "$work/empty"
cd -- "$work/empty"
simtrain=$work/prefix/bin/simtrain

"$simtrain" --help >"$work/help.txt" || fail "simtrain --help"
grep -q -- '--platform' "$work/help.txt" || fail "simtrain --help does not name --platform"

"$simtrain" --platform torus.xml --grid 2x2 --network mlp --json "$work/result.json" --report "$work/page.html" >"$work/report.txt" ||
  { cat "$work/report.txt"; fail "simtrain --grid 2x2 --network mlp"; }
grep -q '"grid_rows": 2' "$work/result.json" || fail "result.json is not of a 2x2 grid"
grep -q 'Chart.js v3' "$work/page.html" || fail "page.html has no Chart.js"

# The programs look in the installed folder alone: without the file there, they must not find another.
mv -- "$work/prefix/share/simtrain/platforms/torus.xml" "$work/torus.elsewhere"
status=0
"$simtrain" --platform torus.xml --grid 2x2 --network mlp >/dev/null 2>"$work/errors.txt" || status=$?
((status == 2)) || fail "without torus.xml: status $status, expected 2"
grep -q 'torus.xml' "$work/errors.txt" || { cat "$work/errors.txt"; fail "the error does not name torus.xml"; }

[[ -z $(ls -A) ]] || fail "files were written that nobody asked for: $(ls -A)"
