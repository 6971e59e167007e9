// Builds what is stale, then becomes the server: the binary runs in this process, so that signals, flags and the exit
// code need no forwarding. package.json starts it with `exec`, because a shell in between would keep the signals.
import { pathToFileURL } from 'node:url';
import { buildStale, root } from './build-stale.mjs';

const binary = `${root}packages/kube-apiserver/bin/kube-apiserver.js`;

/** How long after a signal another one counts as its echo, in milliseconds. */
const echoMs = 200;

/**
 * On Ctrl-C the terminal signals the whole process group and npm then signals its child again. The server would take
 * the echo for the second signal, which ends it at once, so the echo is dropped here.
 */
function dropSignalEchoes() {
  const emit = process.emit.bind(process);
  let last = Number.NEGATIVE_INFINITY;
  process.emit = (/** @type {string} */ event, /** @type {unknown[]} */ ...args) => {
    if (event === 'SIGINT' || event === 'SIGTERM') {
      if (performance.now() - last < echoMs) return true;
      last = performance.now();
    }
    return Reflect.apply(emit, process, [event, ...args]);
  };
}

/**
 * What suits a developer's machine where the flag's own default is another: nobody outside reaches the server, who is not
 * the administrator may do what roles say, and pods may ask for privileges, both as in most clusters.
 *
 * @param {readonly string[]} flags
 */
function withDefaults(flags) {
  const given = (/** @type {string} */ name) => flags.some((flag) => flag === name || flag.startsWith(`${name}=`));
  return [
    ...(given('--bind-address') ? [] : ['--bind-address=127.0.0.1']),
    ...(given('--authorization-mode') ? [] : ['--authorization-mode=RBAC']),
    ...(given('--allow-privileged') ? [] : ['--allow-privileged=true']),
    ...flags,
  ];
}

const code = await buildStale();
if (code !== 0) process.exit(code);
dropSignalEchoes();
process.argv.splice(1, process.argv.length, binary, ...withDefaults(process.argv.slice(2)));
await import(pathToFileURL(binary).href);
