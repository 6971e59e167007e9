// Replacements of libraries' own code in bundles.
import { asciiChunks } from './ascii-chunks.mjs';
import { forwardSlashes } from './forward-slashes.mjs';

/**
 * Importing node:http as a module reads all its exports, and one of them loads Node's whole fetch: 25 ms of every start.
 * As a plain object nothing is read but what is used.
 *
 * @type {import('rolldown').Plugin}
 */
const lazyHttp = replaced('node:http', "module.exports = process.getBuiltinModule('node:http');");

/**
 * lmdb finds its native code by trying many places and loading modules for that. npm puts it into one place. Only if it is
 * missing there, lmdb's own search runs, from lmdb's folder.
 *
 * Its buffer for values has 16 MiB. No page of that is touched, but V8 counts it, and collects the whole heap before the server
 * is ready. No value of ours has more than 1.5 MiB; for larger ones lmdb takes a larger buffer by itself.
 *
 * @type {import('rolldown').Plugin}
 */
const lmdbNative = replaced(
  'node-gyp-build-optional-packages',
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
const noMsgpackr = replaced('msgpackr', 'exports.Encoder = undefined;');

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
 * @param {string} module its name in imports
 * @param {string} code what it is in the bundle, as CommonJS
 * @returns {import('rolldown').Plugin}
 */
function replaced(module, code) {
  const id = `\0replaced:${module}`;
  return {
    name: `replaced-${module}`,
    resolveId: (source) => (source === module ? id : null),
    load: (wanted) => (wanted === id ? { code, moduleType: 'js' } : null),
  };
}

/** @type {import('rolldown').Plugin[]} */
export const plugins = [lazyHttp, lmdbNative, noMsgpackr, silentLmdb, asciiChunks];
