# Ends recorders when the lease of the device is not renewed any more: lease/guard.rs says how and why.
folder=$1 look=$2 looks=$3
pause=
trap '' HUP
trap 'kill $pause 2>/dev/null; exit 0' TERM
exec >/dev/null 2>&1 </dev/null
left=$looks
before=
while [ -e "$folder/lease" ]; do
  now=$(cat "$folder/beat")
  if [ "$now" != "$before" ]; then
    before=$now
    left=$looks
  elif [ $left -gt 1 ]; then
    left=$(( left - 1 ))
  else
    for file in "$folder"/run/*.end; do
      [ -e "$file" ] && sh "$file"
    done
    exit 0
  fi
  sleep $look &
  pause=$!
  wait $pause
done
