// Replacements of libraries' own code in bundles.
import { asciiChunks } from './ascii-chunks.mjs';
import { forwardSlashes } from './forward-slashes.mjs';

/**
 * Modules of Node that a start does not use. In the bundle each is loaded when a member is read first. As modules, all
 * their members would be read at once, and one of node:http loads Node's whole fetch: 25 ms.
 *
 * The second name is that of an npm package's require.
 *
 * @type {readonly (readonly [module: string, ...names: string[]])[]}
 */
const unusedByStarts = [
  ['node:http'],
  ['node:https'],
  ['node:fs/promises'],
  ['node:tls'],
  ['node:worker_threads'],
  ['node:assert', 'assert'],
];

/**
 * @param {string} module of Node
 * @returns {string} CommonJS with the members of the module, which loads it for the first of them
 */
function loadedOnUse(module) {
  const loaded = process.getBuiltinModule(module);
  if (loaded === undefined) throw new Error(`Node has no module ${module}`);
  const members = JSON.stringify(Object.keys(loaded));
  return `
const load = () => process.getBuiltinModule('${module}');
module.exports = (...args) => load()(...args);
for (const name of ${members}) Object.defineProperty(module.exports, name, { enumerable: true, get: () => load()[name] });
`;
}

/**
 * lmdb finds its native code by trying many places and loading modules for that. npm puts it into one place. Only if it
 * is missing there, lmdb's own search runs, from lmdb's folder.
 *
 * Its buffer for values has 16 MiB. No page of that is touched, but V8 counts it, and collects the whole heap before
 * the server is ready. No value of ours has more than 1.5 MiB; for larger ones lmdb takes a larger buffer by itself.
 *
 * @type {import('rolldown').Plugin}
 */
const lmdbNative = replaced(
  ['node-gyp-build-optional-packages'],
  `
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
module.exports = () => {
  const native = load();
  native.globalBuffer = Buffer.allocUnsafeSlow(2 * 1024 * 1024);
  native.setGlobalBuffer(native.globalBuffer);
  return native;
};
function load() {
  const lmdb = require.resolve('lmdb');
  const requireBesideIt = createRequire(lmdb);
  const { platform, arch } = process;
  try {
    const folder = dirname(requireBesideIt.resolve('@lmdb/lmdb-' + platform + '-' + arch));
    return requireBesideIt(join(folder, platform === 'linux' ? 'node.napi.glibc.node' : 'node.napi.node'));
  } catch {
    return requireBesideIt('node-gyp-build-optional-packages')(join(dirname(lmdb), '..'));
  }
}`,
);

/**
 * lmdb encodes with it unless it is told otherwise. The store writes bytes, so its native code need not be loaded.
 *
 * @type {import('rolldown').Plugin}
 */
const noMsgpackr = replaced(['msgpackr'], 'exports.Encoder = undefined;');

/**
 * lmdb rejects a failed commit and also writes to the console. Our logs report it in their own form.
 *
 * @type {import('rolldown').Plugin}
 */
const silentLmdb = {
  name: 'silent-lmdb',
  transform(code, id) {
    if (!forwardSlashes(id).endsWith('/lmdb/write.js')) return null;
    // Nothing moves, so the source map stays as it is.
    const logged = /console\.error\(error\);(?=\s*if \(commitRejectPromise\))/;
    const silenced = code.replace(logged, (text) => ' '.repeat(text.length));
    if (silenced === code) throw new Error('lmdb does not log failed commits where it did: look at silentLmdb');
    return { code: silenced, map: null };
  },
};

/**
 * @param {readonly [string, ...string[]]} names of a module in imports
 * @param {string} code what it is in the bundle, as CommonJS
 * @returns {import('rolldown').Plugin}
 */
function replaced(names, code) {
  const id = `\0replaced:${names[0]}`;
  return {
    name: `replaced-${names[0]}`,
    resolveId: (source) => (names.includes(source) ? id : null),
    load: (wanted) => (wanted === id ? { code, moduleType: 'js' } : null),
  };
}

/** @type {import('rolldown').Plugin[]} */
export const plugins = [
  ...unusedByStarts.map((names) => replaced(names, loadedOnUse(names[0]))),
  lmdbNative,
  noMsgpackr,
  silentLmdb,
  asciiChunks,
];
