# Reads counters at a period: source/counter_script.rs says how and why.
proc=$1 sys=$2 out=$3 go=$4 period=$5 most=$6
shift 6
trap '' HUP
exec >"$out" 2>/dev/null </dev/null
root=/
gone=' '

text=$(<"$proc/uptime")
if [ -n "$text" ]; then
  content() { text=$(<"$1"); }
else
  content() { text=$(cat "$1"); }
fi

now() {
  content "$proc/uptime"
  boot=${text%% *}
  epoch=${EPOCHREALTIME:--}
  part=${boot#*.}
  centis=$(( (${boot%.*} % 8640000) * 100 + 1$part - 100 ))
}

missing() {
  case $gone in
  *" $1 "*) ;;
  *)
    gone="$gone$1 "
    if [ -e "$2" ]; then echo "? $1 cannot be read"; else echo "? $1 is not there"; fi
    ;;
  esac
}

emit() {
  text=
  [ -r "$2" ] && content "$2"
  if [ -n "$text" ]; then
    echo "< $1"
    echo "$text"
  else
    missing "$1" "$2"
  fi
}

nap() {
  part=$(( $1 % 100 ))
  [ ${#part} -lt 2 ] && part=0$part
  rest=$(( $1 / 100 )).$part
  case $how in
  read) read -t $rest nothing <&8 ;;
  sleep) sleep $rest ;;
  usleep) usleep $(( $1 * 10000 )) ;;
  *) sleep $(( ($1 + 99) / 100 )) ;;
  esac
}

choose_nap() {
  rm -f "$go.pipe"
  if mkfifo "$go.pipe" && ( : <>"$go.pipe" ); then
    exec 8<>"$go.pipe"
    rm -f "$go.pipe"
    how=read
    now
    before=$centis
    nap 5
    now
    [ $(( centis - before )) -ge 3 ] && [ $(( centis - before )) -le 100 ] && return
  fi
  for how in sleep usleep; do
    now
    before=$centis
    nap 5
    now
    [ $(( centis - before )) -ge 3 ] && [ $(( centis - before )) -le 100 ] && return
  done
  how=whole
}

threads() {
  stale=$1
  shift
  [ $# -gt 0 ] || return
  for pid in $pids; do
    [ -d "$proc/$pid" ] || stale=1
  done
  [ -n "$pids" ] || stale=1
  [ $stale = 1 ] && pids=$(pidof "$@")
  for pid in $pids; do
    for file in $proc/$pid/task/*/time_in_state; do
      text=
      [ -r "$file" ] && content "$file"
      [ -n "$text" ] && echo "< ${root}proc/${file#$proc/}" && echo "$text"
    done
  done
}

pids=
choose_nap
echo "wattle-counters 1"
echo "# pid $$"
echo "# period $period"
step=$(( period / 10 ))
now
begin=$centis next=$centis medium=$centis slow=$centis
while :; do
  last=0
  [ -e "$go" ] || last=1
  now
  [ $centis -lt $begin ] && begin=$centis next=$centis medium=$centis slow=$centis
  [ $(( (centis - begin) / 100 )) -ge $most ] && last=1
  echo "@ $boot $epoch"
  emit "${root}proc/net/dev" "$proc/net/dev"
  emit "${root}proc/diskstats" "$proc/diskstats"
  emit "${root}proc/stat" "$proc/stat"
  for file in $sys/devices/system/cpu/cpu*/cpufreq/stats/time_in_state; do
    emit "${root}sys/${file#$sys/}" "$file"
  done
  emit "${root}proc/net/xt_qtaguid/stats" "$proc/net/xt_qtaguid/stats"
  due=0
  [ $last = 1 ] || [ $centis -ge $slow ] && due=1
  if [ $due = 1 ] || [ $centis -ge $medium ]; then
    threads $due "$@"
    medium=$(( centis + 100 ))
  fi
  if [ $due = 1 ]; then
    emit "${root}proc/uid_time_in_state" "$proc/uid_time_in_state"
    text=$(dumpsys netstats detail)
    if [ -n "$text" ]; then
      echo "< !netstats"
      echo "$text"
    else
      missing "!netstats" "$out"
    fi
    slow=$(( centis + 1000 ))
  fi
  now
  echo "> $boot $epoch"
  [ $last = 1 ] && break
  next=$(( next + step ))
  left=$(( next - centis ))
  [ $left -gt $step ] && left=$step
  if [ $left -lt 1 ]; then
    next=$centis
    left=1
  fi
  nap $left
done
rm -f "$go"
