#!/bin/sh
# Makes the pictures of the page and of the terminal in this folder, of `wattle demo`'s simulated phone, with headless Chromium.
#
#     docs/pictures/make.sh [PROGRAM]      # PROGRAM: wattle, by default target/release/wattle
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
wattle=${1:-$folder/../../target/release/wattle}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
"$wattle" demo --quiet --html "$work/demo.html" --trace "$work/demo.pftrace" --device-model "$work/phone.toml"

"$wattle" demo --quiet --no-open --save "$work/with-defects.ledger.json.zst"
"$wattle" demo --quiet --no-open --fixed --save "$work/fixed.ledger.json.zst"
(cd "$work" && "$wattle" diff --quiet with-defects.ledger.json.zst fixed.ledger.json.zst --app com.example.news --html compare.html)


# Two runs each of 12 versions of the app with its defects and of 6 without: stretches of both demos.
"$wattle" demo --quiet --no-open --fixed --trace "$work/fixed.pftrace"
export WATTLE_STORE="$work/store"
for n in $(seq 0 35); do
  trace=$([ "$n" -lt 24 ] && echo demo || echo fixed)
  from=$((n * 7 % 36))
  "$wattle" report "$work/$trace.pftrace" --device-model "$work/phone.toml" --app com.example.news --app-version "1.$((n / 24))" \
    --commit "$(printf %04x $((n / 2)))" --branch main --from "$from" --to $((from + 20)) --keep --quiet
done
"$wattle" history com.example.news --quiet --html "$work/history.html"

# Name, size, fragment of the address, page.
picture() {
  chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --virtual-time-budget=8000 \
    --window-size="$2" --screenshot="$folder/$1.png" "file://$work/${4:-demo}.html$3" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}
picture page-light 1440,900 ""
picture page-dark 1440,900 "#theme=dark"
picture page-selection 1440,900 "#t=3-5&app=com.example.news"
picture page-tree 1440,1200 "#view=tree&theme=dark"
picture page-tracks 1440,1400 "#view=tracks&t=3-5"
picture page-phone 390,1400 "#t=3-5"
picture compare-light 1440,1200 "" compare
picture compare-dark 1440,1200 "#app=com.example.news&comp=cpu&theme=dark" compare
picture compare-phone 390,1800 "" compare
picture history 1440,1000 "" history

# What a terminal of 100 columns shows, as a page. Name, colours of text and background.
terminal() {
  {
    echo "<!doctype html><meta charset=utf-8><style>body{margin:16px;background:$3;color:$2}pre{font:15px/1.35 'DejaVu Sans Mono',monospace;margin:0}"
    echo ".s1{font-weight:bold}.s2{opacity:.65}.s36{color:$4}.s33{color:$5}.s31{color:#e5534b}.s32{color:#57ab5a}</style><pre>"
    echo "$ wattle report demo.pftrace --device-model phone.toml"
    script -qec "stty cols 100 rows 40; '$wattle' report '$work/demo.pftrace' --device-model '$work/phone.toml'" /dev/null </dev/null |
      tr -d '\r' | sed -e 's/&/\&amp;/g; s/</\&lt;/g' -e 's/\x1b\[\([0-9]*\);\([0-9]*\)m/<span class="s\1 s\2">/g' \
        -e 's/\x1b\[0m/<\/span>/g; s/\x1b\[\([0-9]*\)m/<span class="s\1">/g'
    echo "</pre>"
  } >"$work/terminal.html"
  chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --virtual-time-budget=2000 \
    --window-size=980,560 --screenshot="$folder/$1.png" "file://$work/terminal.html" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}
terminal terminal-dark "#d7dae0" "#1e2227" "#56b6c2" "#d8a657"
terminal terminal-light "#24292f" "#ffffff" "#1b7c83" "#9a6700"

# Pages of a server, made by the test that looks at them; it needs the real recordings.
WATTLE_PICTURES="$folder" cargo test --manifest-path "$folder/../../Cargo.toml" -p wattle --test all serve::pages_have_pictures
