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

const isByNpm = process.env['npm_lifecycle_event'] === 'start';
const taken = isByNpm ? takenFlags(process.env, readFileSync(`${root}docs/flags.md`, 'utf8')) : [];
if (taken.length > 0) {
  console.error(`npm keeps flags for itself unless two dashes stand before them: npm start -- ${taken.join(' ')}`);
  process.exit(1);
}
const code = await buildStale();
if (code !== 0) process.exit(code);
// The binary heeds npm's shell, because it is now what the shell runs.
if (isByNpm) process.env['npm_lifecycle_script'] = 'kube-apiserver';
process.argv.splice(1, process.argv.length, binary, ...withDefaults(process.argv.slice(2)));
await import(pathToFileURL(binary).href);
