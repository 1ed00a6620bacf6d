#!/bin/sh
# Makes the pictures of the page in this folder, of `wattle demo`'s simulated phone, with headless Chromium.
#
#     docs/pictures/make.sh [PROGRAM]      # PROGRAM: wattle, by default target/release/wattle
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
wattle=${1:-$folder/../../target/release/wattle}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
"$wattle" demo --quiet --html "$work/demo.html"

# Name, size, fragment of the address.
picture() {
  chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --virtual-time-budget=8000 \
    --window-size="$2" --screenshot="$folder/$1.png" "file://$work/demo.html$3" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}
picture page-light 1440,900 ""
picture page-dark 1440,900 "#theme=dark"
picture page-selection 1440,900 "#t=3-5&app=com.example.news"
picture page-tree 1440,1200 "#view=tree&theme=dark"
picture page-tracks 1440,1400 "#view=tracks&t=3-5"
picture page-phone 390,1400 "#t=3-5"
