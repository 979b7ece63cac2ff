#!/usr/bin/env bash
# on_host.sh HOST COMMAND...: mpirun's remote shell for the hosts of tests/validation/ethernet.py. Runs a shell command on
# one, under its own name and with its own folder for temporary files, which Open MPI's daemons would else share.
set -euo pipefail
host=$1
shift
exec ip netns exec "$host" unshare --uts -- env OMPI_MCA_orte_tmpdir_base="/run/netns/$host.tmp" TMPDIR="/run/netns/$host.tmp" \
  bash -c 'hostname "$1"; shift; exec bash -c "$*"' on_host "$host" "$@"
