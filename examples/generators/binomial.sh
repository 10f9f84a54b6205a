#!/bin/sh
# Binomial broadcast: in step t each rank that has the message sends it 2^t ranks further, counted
# from the root. All chunks go together.

while [ $# -gt 1 ]; do
  case $1 in
    --ranks) P=$2 ;;
    --chunks) K=$2 ;;
    --root) root=$2 ;;
  esac
  shift 2
done

printf 'schedcc 1\ncollective broadcast\nranks %d\nroot %d\nchunks %d\n' "$P" "$root" "$K"
t=0
have=1
while [ $have -lt "$P" ]; do
  echo "step $t"
  i=0
  while [ $i -lt $have ] && [ $((i + have)) -lt "$P" ]; do
    echo "$(((root + i) % P)) -> $(((root + i + have) % P)) : 0-$((K - 1))"
    i=$((i + 1))
  done
  have=$((have * 2))
  t=$((t + 1))
done
