#!/usr/bin/env bash
# tests/slurm_sweep.sh BIN: shares of a sweep under a real Slurm, as a job array and by srun, against one process alone.
# Not a row of ctest: it needs to be root and Debian's packages slurm-wlm and munge, and starts munged, slurmctld and
# slurmd of its own, for this machine alone, in a folder that goes when it ends. docs/sweeps.md shows the commands.
set -euo pipefail

bin=$(cd -- "${1:?the folder of simtrain}" && pwd)
((EUID == 0)) || { echo "slurm_sweep: needs to be root" >&2; exit 2; }
export PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch srun scontrol sinfo; do
  command -v "$program" >/dev/null || { echo "slurm_sweep: no $program; expected the packages slurm-wlm and munge" >&2; exit 2; }
done

folder=$(mktemp -d)
chmod 755 "$folder"
daemons=()
finish() {
  local status=$?
  ((status == 0)) || tail -n 20 "$folder"/*.log >&2 || true
  for ((i = ${#daemons[@]} - 1; i >= 0; --i)); do
    kill "${daemons[i]}" 2>/dev/null || true
    wait "${daemons[i]}" 2>/dev/null || true
  done
  rm -rf -- "$folder"
  exit "$status"
}
trap finish EXIT

# Documents are the same to the last byte, the date in their passports included.
export SOURCE_DATE_EPOCH=1764512482

# ---- a cluster of one node ----
cpus=$(nproc)
host=$(hostname -s)
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
mkdir "$folder/state" "$folder/spool"
cat >"$folder/slurm.conf" <<CONF
ClusterName=alone
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${SLURM_TEST_PORT:-16817}
SlurmdPort=$((${SLURM_TEST_PORT:-16817} + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP OverSubscribe=NO
CONF
export SLURM_CONF=$folder/slurm.conf
munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" &>"$folder/munged.out" &
daemons+=($!)
for _ in {1..50}; do [[ -S $folder/munge.socket ]] && break || sleep 0.1; done
slurmctld -D -c &>"$folder/slurmctld.out" &
daemons+=($!)
slurmd -D -N "$host" &>"$folder/slurmd.out" &
daemons+=($!)
for _ in {1..100}; do
  [[ $(sinfo --noheader --format=%t 2>/dev/null) == idle* ]] && break || sleep 0.2
done
sinfo

# ---- one process alone ----
cd -- "$folder"
sweep=("$bin/simtrain" sweep --platform torus:4x4 --platform fat-tree:4x4,up=1 --network mlp --extrapolate --processes 16
  --batch 64,128 --jobs 1)
"${sweep[@]}" --json alone.json >alone.txt 2>alone.log

check() {
  "$bin/simtrain" merge "${@:2}" --json merged.json >merged.txt
  cmp alone.txt merged.txt && cmp alone.json merged.json
  echo "slurm_sweep: $1: the same as one process alone"
}

# ---- a job array: four jobs of one task ----
cat >array.sh <<SCRIPT
#!/bin/bash
#SBATCH --array=0-3 --ntasks=1 --output=array.%a.out
cd "$folder"
exec $(printf '%q ' "${sweep[@]}") --results array.jsonl --share auto
SCRIPT
sbatch --wait array.sh
cat array.?.out | grep '^Share'
check "job array" array.?-of-4.jsonl

# ---- srun: as many tasks as there are CPUs ----
srun --ntasks="$cpus" "${sweep[@]}" --results srun.jsonl --share auto 2>srun.log
check "srun" srun.*-of-"$cpus".jsonl

# ---- an array whose members start several tasks each: an array of 2 x 2 shares ----
cat >both.sh <<SCRIPT
#!/bin/bash
#SBATCH --array=10-12:2 --ntasks=$cpus --output=both.%a.out
cd "$folder"
srun $(printf '%q ' "${sweep[@]}") --results both.jsonl --share auto
SCRIPT
sbatch --wait both.sh
check "job array of sruns" both.*-of-"$((2 * cpus))".jsonl

# ---- a job that was cancelled goes on where it was ----
long=("${sweep[@]}" --iterations 40 --results long.jsonl)
"${long[@]}" --csv alone.csv >/dev/null 2>long.log
mv long.jsonl whole.jsonl
cat >long.sh <<SCRIPT
#!/bin/bash
#SBATCH --ntasks=1 --output=long.out
cd "$folder"
exec $(printf '%q ' "${long[@]}") --csv again.csv
SCRIPT
job=$(sbatch --parsable long.sh)
for _ in {1..300}; do (($(cat long.jsonl 2>/dev/null | wc -l) > 3)) && break || sleep 0.1; done
scancel "$job"
for _ in {1..100}; do [[ -z $(squeue --noheader --job "$job" 2>/dev/null) ]] && break || sleep 0.1; done
kept=$(wc -l <long.jsonl)
sbatch --wait long.sh
grep 'already' long.out
cmp alone.csv again.csv
echo "slurm_sweep: cancelled with $kept lines, and went on: the same as without"
