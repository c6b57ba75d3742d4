#!/bin/sh
# slurm.sh FOLDER COMMAND…: runs the command beside a Slurm cluster of this machine alone, as one node, whose files lie in
# FOLDER; SLURM_CONF leads the command to it.  No GPU is known to it.  Exit status 77: it did not come up.
set -eu
folder=$1
shift
mkdir -p "$folder/state" "$folder/spool"
sockets=$(mktemp -d) # whose paths may have 107 characters
chmod 755 "$sockets"
stop() {
    for file in "$folder/slurmd.pid" "$folder/slurmctld.pid" "$folder/munged.pid"; do
        [ ! -s "$file" ] || kill "$(cat "$file")" || true
    done
    rm -rf "$sockets"
}
trap stop EXIT

host=$(hostname -s)
set -- "$(($$ % 10000 + 20000))" "$@" # a port that other tests have not
cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
AuthType=auth/munge
AuthInfo=socket=$sockets/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 Port=$(($1 + 1)) CPUs=8
PartitionName=all Nodes=$host Default=YES State=UP
END
shift
export SLURM_CONF="$folder/slurm.conf"
head -c 1024 /dev/urandom >"$folder/key"
chmod 600 "$folder/key"
munged --force --key-file="$folder/key" --socket="$sockets/munge" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/seed"
slurmctld
slurmd
for second in 1 2 3 4 5 6 7 8 9 10; do
    sleep 1
    [ "$(sinfo -h -o %T)" != idle ] || break
    [ "$second" -lt 10 ] || exit 77
done
"$@"
