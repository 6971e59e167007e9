// Says which modules are used first: starts the server that lies in a folder with one file for each module, and writes beside them
// (in the JSON file of the second argument) which files were used when it was ready, and which when it had answered what clients ask first. A process of
// its own, because it ends the server that runs in it.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { runInThisContext } from 'node:vm';
import { serveFirstRequests } from './first-requests.mjs';

const directory = resolve(process.argv[2] ?? '');
const outside = createRequire(join(directory, 'outside.cjs'));
/** @type {Map<string, { exports: object }>} */
const used = new Map();

/**
 * @param {string} file
 * @returns {object} what it exports
 */
function load(file) {
  const known = used.get(file);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  used.set(file, module);
  const run = runInThisContext(`(function (exports, require, module, __filename) {${readFileSync(file, 'utf8')}\n})`, {
    filename: file,
  });
  const inBundle = (/** @type {string} */ id) => onFirstUse(join(dirname(file), id));
  const require = (/** @type {string} */ id) => (id.startsWith('.') ? inBundle(id) : outside(id));
  run(module.exports, Object.assign(require, outside), module, file);
  return module.exports;
}

/**
 * Importing a module of ours does nothing, so it can wait until something of it is wanted. Others are loaded with what needs them.
 *
 * @param {string} file
 */
function onFirstUse(file) {
  if (!relative(directory, file).startsWith('packages/')) return load(file);
  return new Proxy({}, { get: (_, name) => Reflect.get(load(file), name) });
}

const files = () => [...used.keys()].map((file) => relative(directory, file));
/** @type {{ start: string[], requests: string[] }} */
const recorded = { start: [], requests: [] };
await serveFirstRequests(Reflect.get(load(join(directory, 'kube-apiserver.cjs')), 'main'), join(directory, 'data'), {
  ready() {
    recorded.start = files();
  },
  answered() {
    recorded.requests = files();
  },
});
writeFileSync(join(directory, process.argv[3] ?? ''), JSON.stringify(recorded));
