#!/bin/sh
# adbd.sh ADBD_ROOT PHONE_ROOT: becomes the real adbd, on 127.0.0.1:5555, in front of a simulated phone's folders and
# programs. Only inside beside.sh: it lets everybody in, and it mounts the phone's folders over the machine's.
#
# ADBD_ROOT is the unpacked Debian package adbd with its own C library. The environment names the phone.
set -eu
[ -n "${WATTLE_BESIDE_ADBD:-}" ] || { echo "adbd.sh: only inside beside.sh" >&2; exit 1; }
adbd=$1 phone=$2

# The shell that adbd starts has its own kill, which does not know the phone's processes.
real=$(readlink -f /bin/sh)
cp "$real" "$phone/system/bin/dash"
cat > "$phone/system/bin/.sh" <<'S'
#!/system/bin/dash
if [ "${1:-}" = -c ]; then
    text=$2
    shift 2
    exec /system/bin/dash -c "kill() { /system/bin/kill \"\$@\"; }
$text" "$@"
fi
exec /system/bin/dash "$@"
S
chmod 755 "$phone/system/bin/.sh"

libraries=$adbd/usr/lib/x86_64-linux-gnu
# Under a path without the package's own, which its loader would search first.
cp "$libraries/ld-linux-x86-64.so.2" "$phone/system/bin/.ld.so"

for folder in data sdcard storage system; do
    # Where it is missing, an empty folder stays behind: mounts need one.
    mkdir -p "/$folder"
    mount --bind "$(readlink -f "$phone/$folder")" "/$folder"
done
mount --bind "$phone/system/bin/.sh" "$real"
export PATH=/system/bin ANDROID_ROOT=/system ANDROID_DATA=/data HOME=/data/local/tmp
exec /system/bin/.ld.so --library-path "$libraries:$libraries/android" \
    "$adbd/usr/lib/android-sdk/platform-tools/adbd"
