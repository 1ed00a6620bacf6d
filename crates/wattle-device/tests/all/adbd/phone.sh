#!/bin/sh
# phone.sh ADBD_ROOT COMMAND...: runs COMMAND beside a real adbd that listens on 127.0.0.1:5555.
#
# ADBD_ROOT is the unpacked Debian package adbd with its own C library. That adbd lets everybody in and listens on every
# interface, so it runs in a network of its own; all processes end with COMMAND. Needs root or user namespaces; without
# arguments it only tries whether they can be had.
#
# COMMAND finds in WATTLE_PHONE the folder of this phone: adbd.pid, adbd.log, and what the tools of bin/ write.
set -eu

if [ -z "${WATTLE_PHONE_INSIDE:-}" ]; then
    export WATTLE_PHONE_INSIDE=1
    as_root=
    [ "$(id -u)" = 0 ] || as_root=--map-root-user
    exec unshare $as_root --net --mount --pid --fork --kill-child --mount-proc "$0" "$@"
fi

tests=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || exit 0
root=$(cd "$1" && pwd)
shift
ip link set lo up

WATTLE_PHONE=$(mktemp -d)
trap 'rm -rf "$WATTLE_PHONE"' EXIT
export WATTLE_PHONE HOME="$WATTLE_PHONE" PATH="$tests/bin:$PATH"
# Away from the user's own server; and adb shall not take port 5555 for an emulator.
export ANDROID_ADB_SERVER_PORT=5137 ADB_LOCAL_TRANSPORT_MAX_PORT=5553
unset ANDROID_SERIAL ADB_SERVER_SOCKET ANDROID_ADB_SERVER_ADDRESS || true

libraries=$root/usr/lib/x86_64-linux-gnu
# Under a path without the package's own, which its loader would search first.
cp "$libraries/ld-linux-x86-64.so.2" "$WATTLE_PHONE/ld.so"
"$WATTLE_PHONE/ld.so" --library-path "$libraries:$libraries/android" \
    "$root/usr/lib/android-sdk/platform-tools/adbd" >"$WATTLE_PHONE/adbd.log" 2>&1 &
echo $! >"$WATTLE_PHONE/adbd.pid"

"$@"
