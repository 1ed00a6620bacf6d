#!/bin/sh
# beside.sh COMMAND...: runs COMMAND in a network, a file system table and a process table of its own, all of which end
# with it. Needs root or user namespaces.
set -eu
as_root=
[ "$(id -u)" = 0 ] || as_root=--map-root-user
exec unshare $as_root --net --mount --pid --fork --kill-child --mount-proc \
    env WATTLE_BESIDE_ADBD=1 sh -c 'ip link set lo up && exec "$@"' sh "$@"
