#!/usr/bin/env bash
# Pictures of lode in real terminals: the main screen, the money dialog and the map, each as a PNG to be looked at.
#
#   assets/terminals/pictures.sh [LODE] [FOLDER] [TERMINAL…]
#
# LODE is the binary (target/debug/lode), FOLDER is where the pictures go (a fresh one under /tmp), TERMINAL any of xterm kitty
# alacritty tmux screen dumb mono paper paper16 night (all that are installed). Needs Xvfb, xdotool and ImageMagick's import:
# `apt-get install xvfb xterm kitty alacritty tmux screen xdotool imagemagick`. Nothing is kept of the runs but the pictures.
set -euo pipefail
lode=$(realpath "${1:-target/debug/lode}")
out=${2:-$(mktemp -d /tmp/lode-pictures.XXXXXX)}
shift $(($# < 2 ? $# : 2))
mkdir -p "$out"
work=$(mktemp -d)
started=()
finish() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT

mkfifo "$work/display"
exec 7<>"$work/display"
# Without -noreset it restarts whenever its last client leaves, and drops a client that connects at that moment.
Xvfb -noreset -displayfd 7 -screen 0 2000x1400x24 -nolisten tcp >/dev/null 2>&1 &
started+=($!)
read -r -u 7 -t 20 number
export DISPLAY=":$number" LIBGL_ALWAYS_SOFTWARE=1 LANG=C.UTF-8 LC_ALL=C.UTF-8

# The screen as it stands once it has stood still for a while.
still() {
  local before='' now
  for _ in $(seq 40); do
    import -window root "$work/now.png" 2>/dev/null
    now=$(md5sum <"$work/now.png")
    [ "$now" = "$before" ] && break
    before=$now
    sleep 0.7
  done
}

picture() {
  still
  import -window root -trim +repage "$out/$1-$2.png"
  echo "$out/$1-$2.png"
}

keys() { xdotool key --clearmodifiers --delay 60 "$@"; }

# Keys go to the window that has them.
focus() {
  for _ in $(seq 60); do
    local window
    window=$(xdotool search --onlyvisible --name '.' 2>/dev/null | tail -1) || true
    if [ -n "$window" ] && xdotool windowmove "$window" 0 0 windowfocus "$window" 2>/dev/null; then
      # A window with a frame in it has more to show than paper and ink.
      import -window root "$work/now.png" 2>/dev/null
      [ "$(identify -format %k "$work/now.png")" -gt 8 ] && return
    fi
    sleep 0.25
  done
  echo "no window with a frame came" >&2
  return 1
}

# One terminal: its three pictures, and the way out.
run() {
  local name=$1
  shift
  mkdir -p "$work/$name"
  env LODE_STATE_DIR="$work/$name/state" LODE_CONFIG_DIR="$work/$name/config" "$@" >"$work/$name/said" 2>&1 &
  local pid=$!
  started+=("$pid")
  focus || { cat "$work/$name/said" >&2; return; }
  still
  keys slash
  xdotool type --delay 60 nurse
  keys Return
  still
  keys space space space Down
  picture "$name" main
  keys shift+u
  picture "$name" money
  keys Escape
  still
  keys g c
  picture "$name" map
  keys g s
  still
  keys q
  sleep 0.5
  kill "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
}

demo="$lode demo --us-rows 400000 --linkedin-rows 100000 --seed 7"
# Software drawing of large windows is slow: 120 columns show every pane.
size=120x36
font=(-fa 'DejaVu Sans Mono' -fs 10)
terminals=("$@")
[ ${#terminals[@]} -gt 0 ] || terminals=(xterm kitty alacritty tmux screen dumb mono paper paper16 night)
for name in "${terminals[@]}"; do
  case $name in
  xterm) command -v xterm >/dev/null && run xterm xterm "${font[@]}" -geometry "$size" -e $demo ;;
  kitty) command -v kitty >/dev/null && run kitty kitty --config NONE -o initial_window_width=120c -o initial_window_height=36c \
    -o remember_window_size=no -o update_check_interval=0 $demo ;;
  alacritty) command -v alacritty >/dev/null && run alacritty alacritty -o window.dimensions.columns=120 \
    -o window.dimensions.lines=36 -e $demo ;;
  tmux) command -v tmux >/dev/null && run tmux xterm "${font[@]}" -geometry "$size" -e tmux -L "lode-$number" -f /dev/null new-session $demo ;;
  screen) command -v screen >/dev/null && run screen xterm "${font[@]}" -geometry "$size" -e screen -c /dev/null -U $demo ;;
  # A terminal that says it can do nothing, and one whose owner wants no colors.
  dumb) command -v xterm >/dev/null && run dumb xterm "${font[@]}" -geometry "$size" -tn dumb -e $demo ;;
  mono) command -v xterm >/dev/null && NO_COLOR=1 run mono xterm "${font[@]}" -geometry "$size" -e $demo ;;
  # Themes that bring their own colors: as they are, in sixteen, and in the 256 of a palette.
  paper) command -v xterm >/dev/null && run paper xterm "${font[@]}" -geometry "$size" -e env COLORTERM=truecolor $demo --theme paper ;;
  paper16) command -v xterm >/dev/null && run paper16 xterm "${font[@]}" -geometry "$size" -tn xterm -e $demo --theme paper ;;
  night) command -v xterm >/dev/null && run night xterm "${font[@]}" -geometry "$size" -tn xterm-256color -e $demo --theme night ;;
  *) echo "no such terminal: $name" >&2 ;;
  esac || echo "$name is not here" >&2
done
