// Builds what is stale, then becomes the server: the binary runs in this process, so that signals, flags and the exit
// code need no forwarding.
import './required-node.mjs';
import './malloc-arena.mjs';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { buildStale, root } from './build-stale.mjs';
import { withDefaults } from './start/default-flags.mjs';
import { takenFlags } from './start/taken-flags.mjs';

const binary = `${root}packages/kube-apiserver/bin/kube-apiserver.js`;

/** Milliseconds after a signal in which another one counts as its echo. */
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

/** Milliseconds between two checks that npm's shell is still there. */
const watchMs = 100;

/**
 * npm passes signals to the shell of a script. Some shells (Debian's) run the script in a child process: SIGTERM ends
 * such a shell and does not reach the script. So the end of the shell counts as SIGTERM here.
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

const isByNpm = process.env['npm_lifecycle_event'] === 'start';
const taken = isByNpm ? takenFlags(process.env, readFileSync(`${root}docs/flags.md`, 'utf8')) : [];
if (taken.length > 0) {
  console.error(`npm keeps flags for itself unless two dashes stand before them: npm start -- ${taken.join(' ')}`);
  process.exit(1);
}
const code = await buildStale();
if (code !== 0) process.exit(code);
dropSignalEchoes();
if (isByNpm) endWithShell();
process.argv.splice(1, process.argv.length, binary, ...withDefaults(process.argv.slice(2)));
await import(pathToFileURL(binary).href);
