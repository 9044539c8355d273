#!/bin/sh
# Runs the first Node on the PATH that starts and is new enough; npm puts the one that it installed first. That one needs
# libatomic, which minimal images lack.
least=24
IFS=:
for folder in $PATH; do
  node=$folder/node
  [ -x "$node" ] || continue
  major=$("$node" -p 'process.versions.node.split(".")[0]' 2>/dev/null) || continue
  [ "$major" -ge "$least" ] && exec "$node" "$@"
done
case $(node --version 2>&1) in
  *libatomic*) why='the Node that npm installed cannot start without libatomic: apt-get install libatomic1, or put' ;;
  *) why='put' ;;
esac
echo "tenantwatch: $why Node $least or newer on the PATH" >&2
exit 2
