#!/bin/sh
# Runs the first Node that starts and is new enough: of the PATH, where npm puts the one that it installed first, then that
# one itself. It needs libatomic, which minimal images lack.
least=24
root=${0%/*}/..
lacking=
IFS=:
for folder in $PATH "$root/node_modules/.bin" "$root/../.bin"; do
  node=$folder/node
  [ -x "$node" ] || continue
  version=$("$node" --version 2>&1) || {
    case $version in *libatomic*) lacking=yes ;; esac
    continue
  }
  version=${version#v}
  major=${version%%.*}
  case $major in '' | *[!0-9]*) continue ;; esac
  [ "$major" -ge "$least" ] && exec "$node" "$@"
done
[ -d "$root/node_modules" ] || [ -d "$root/../.bin" ] || lacking=all
case $lacking in
  all) why='run "npm ci", which installs a Node, or put' ;;
  yes) why='the Node that npm installed cannot start without libatomic: apt-get install libatomic1, or put' ;;
  *) why='put' ;;
esac
echo "tenantwatch: $why Node $least or newer on the PATH" >&2
exit 2
