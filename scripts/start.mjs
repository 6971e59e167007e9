// Builds what is stale, then becomes the server: the binary runs in this process, so that signals, flags and the exit
// code need no forwarding.
import './required-node.mjs';
import './malloc-arena.mjs';
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

/** How often to look whether npm's shell is still there, in milliseconds. */
const watchMs = 100;

/**
 * npm passes signals to the shell that it runs a script in, and some shells (Debian's) wait for the script in a process of
 * their own: SIGTERM ends such a shell and reaches nothing else. So the end of the shell counts as SIGTERM here.
 */
function endWithShell() {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.emit('SIGTERM', 'SIGTERM');
  }, watchMs);
  watch.unref();
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
if (process.env['npm_lifecycle_event'] === 'start') endWithShell();
process.argv.splice(1, process.argv.length, binary, ...withDefaults(process.argv.slice(2)));
await import(pathToFileURL(binary).href);
