#!/usr/bin/env bash
# ./dev test --debian RELEASE [ARGUMENTS]: the tests, and some predictions, on another Debian: 12 (bookworm, SimGrid
# 3.32) or 13 (trixie, SimGrid 4.0), in a root of its own below build/. Predicted times must be equal to those of the
# build outside. Arguments go to ctest. Needs to be root; a second call builds on what the first one left.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
say() { printf 'dev: %s\n' "$*" >&2; }
fail() { say "error: $1"; exit "${2:-1}"; }

(($#)) || fail "--debian: has no value; expected 12 or 13" 2
case $1 in
  12) name=bookworm ;;
  13) name=trixie ;;
  *) fail "--debian: '$1' is not known; expected 12 or 13" 2 ;;
esac
release=$1
shift
((EUID == 0)) || fail "--debian: needs to be root, to make a root folder of Debian $release and to chroot into it"
debian=$root/build/debian-$release
log=$root/build/debian-$release.log

if [[ ! -d $debian ]]; then
  say "making Debian $release in build/debian-$release (log: build/debian-$release.log)"
  rm -rf -- "$debian.part"
  debootstrap --variant=minbase "$name" "$debian.part" >"$log" 2>&1 || { cat -- "$log" >&2; fail "debootstrap failed"; }
  mv -- "$debian.part" "$debian"
fi

# The tree as it is here, without what git ignores; the build folder in there stays.
mkdir -p -- "$debian/simtrain"
find "$debian/simtrain" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf -- {} +
(cd -- "$root" && git -c safe.directory="$root" ls-files --cached --others --exclude-standard -z |
  tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null) | tar -xf - -C "$debian/simtrain"

# inside COMMAND...: in the root, whose mounts end with the command.
inside() {
  unshare --mount --propagation private bash -euc '
    mount -t proc proc "$0/proc"
    mount --rbind /sys "$0/sys"
    mount --rbind /dev "$0/dev"
    [[ ! -f /etc/resolv.conf ]] || cat /etc/resolv.conf >"$0/etc/resolv.conf"
    exec chroot "$0" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin '"${OPENBLAS_CORETYPE:+OPENBLAS_CORETYPE=$OPENBLAS_CORETYPE}"' "$@"' "$debian" "$@"
}

# Whether two results have the same times, but for rounding: sums of many times are added up in another order.
same_times() {
  python3 - "$@" <<'PYTHON'
import json, math, sys

def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return math.isclose(a, b, rel_tol=1e-11) if isinstance(a, float) else a == b

here, there = (json.load(open(path)) for path in sys.argv[1:])
sys.exit(not all(same(here[key], there[key]) for key in ("iteration", "layers")))
PYTHON
}

status=0
inside /simtrain/dev test "$@" || status=$?
(($# == 0)) || exit "$status"  # a part of the tests was asked for
[[ -x $debian/simtrain/build/release/bin/simtrain ]] || exit "$status"  # it was not built

say "predictions of Debian $release beside those of this system"
while read -r -a job; do
  "$root/build/release/bin/simtrain" "${job[@]}" --json "$root/build/here.json" >/dev/null
  inside /simtrain/build/release/bin/simtrain "${job[@]}" --json /simtrain/build/there.json >/dev/null
  if same_times "$root/build/here.json" "$debian/simtrain/build/there.json"; then
    printf 'equal      %s\n' "${job[*]}"
  else
    printf 'different  %s\n' "${job[*]}"
    status=1
  fi
done <<'JOBS'
--platform torus.xml --grid 32x8
--platform torus:8x8x4 --grid 16x16 --collectives ring
--platform fat-tree.xml --grid 16x16 --placement row-major
--platform ethernet.xml --grid 8x8 --network vgg16 --batch 512
--platform torus:16x16 --grid 16x16 --collectives rabenseifner --detail merged
--platform node:2 --grid 2x1 --network mlp --network-model calibrated
--platform torus.xml --grid 16x16 --strategy domain --batch 128
--platform torus.xml --grid 16x16 --overlap all --bucket 1MiB
JOBS
exit "$status"
