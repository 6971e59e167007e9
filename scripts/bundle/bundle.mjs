// Bundles the binary: one file for the command line, one for what every start needs, chunks for what is loaded on first
// use. CommonJS, because Node links and runs it faster than modules; hundreds of small files cost several times as much.
// Code that a start does not use waits in a file of its own. Then records the bytecode of what a start runs.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { root } from '../build-stale.mjs';
import { asciiChunks } from './ascii-chunks.mjs';
import { defer } from './deferred.mjs';
import { forwardSlashes } from './forward-slashes.mjs';
import { runRecording } from './run-recording.mjs';
import { usedModules } from './used-modules.mjs';

/** Another folder can be named, to measure two builds side by side. */
const outdir = process.argv[2] ?? `${root}packages/kube-apiserver/dist/bundle`;

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

/** Modules that are loaded together, each group named for its first module. A shared module belongs to the first group. */
const groups = [
  { name: 'command', root: 'packages/kube-apiserver/src/command/run-command.ts' },
  { name: 'server', root: 'packages/kube-apiserver/src/start/launch.ts' },
  { name: 'lmdb', root: 'packages/registry-store/src/lmdb/index.ts' },
];

/** Modules of these that a start does not use. The first requests of clients may use them. Each is loaded on first use. */
const requests = 'requests';
const later = 'later';

/**
 * By default, rolldown makes a chunk of modules with the same importers: a start would read dozens, each for a millisecond.
 * So each group becomes one file.
 *
 * @param {readonly import('rolldown').OutputChunk[]} chunks of a bundle without groups
 * @returns {Map<string, string>} module to the name of its group
 */
function groupedModules(chunks) {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  /** @type {Map<string, string>} */
  const grouped = new Map();
  for (const { name, root: first } of groups) {
    const start = chunks.find(({ moduleIds }) => moduleIds.some((id) => forwardSlashes(id).endsWith(first)));
    if (start === undefined) throw new Error(`${first} is not in the bundle`);
    const reached = new Set([start.fileName]);
    for (const file of reached) for (const imported of byFile.get(file)?.imports ?? []) reached.add(imported);
    for (const file of reached) {
      for (const id of byFile.get(file)?.moduleIds ?? []) if (!grouped.has(id)) grouped.set(id, name);
    }
  }
  return grouped;
}

/** Replaces the old folder when it is complete, because other tests may be starting servers from there. */
const building = `${outdir}.new`;

/** @type {import('rolldown').OutputOptions} */
const output = {
  dir: building,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  // External modules are also required when they are loaded on first use: the loader of the bundle runs chunks as scripts.
  dynamicImportInCjs: false,
  // Names stay, for readable stack traces in logs.
  minify: { mangle: false, compress: { keepNames: { function: true, class: true } }, codegen: true },
  sourcemap: true,
  // The packages have the sources in src; the maps would be 7 MB larger with them.
  sourcemapExcludeSources: true,
};

rmSync(building, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: root,
  input: {
    loader: 'scripts/bundle/loader.ts',
    'kube-apiserver': 'packages/kube-apiserver/src/main.ts',
  },
  platform: 'node',
  // It reads files that lie beside it.
  external: ['etcd3'],
  resolve: { conditionNames: ['@apiserver/source', 'node'] },
  transform: { target: 'node24' },
  plugins: [lazyHttp, lmdbNative, noMsgpackr, silentLmdb, asciiChunks],
  // So that a group may take what the entry exports.
  preserveEntrySignatures: 'allow-extension',
  // Groups are loaded on first use or with the resources that need them, whichever comes first. The eval is a library's.
  checks: { ineffectiveDynamicImport: false, eval: false },
});
const alone = await bundle.generate({ ...output, minify: false, sourcemap: false });
const grouped = groupedModules(alone.output.filter((file) => file.type === 'chunk'));
const used = await usedModules(bundle, output, `${outdir}.modules`);
for (const id of grouped.keys()) if (!used.start.has(id)) grouped.set(id, used.requests.has(id) ? requests : later);
const { output: written } = await bundle.write({
  ...output,
  codeSplitting: {
    groups: [{ debugName: 'groups', name: (id) => grouped.get(id) }],
    includeDependenciesRecursively: false,
  },
});
await bundle.close();

// Threads load the whole file, so it has only their code.
const worker = await rolldown({
  cwd: root,
  input: { 'yaml-worker': 'packages/generic-server/src/yaml/yaml-worker.ts' },
  platform: 'node',
  resolve: { conditionNames: ['@apiserver/source', 'node'] },
  transform: { target: 'node24' },
  plugins: [asciiChunks],
});
await worker.write(output);
await worker.close();

for (const { name, fileName } of written.filter((file) => file.type === 'chunk')) {
  if (name === requests || name === later) defer(`${building}/${fileName}`);
}
writeFileSync(`${building}/first-objects.json`, used.firstObjects);
runRecording('record-bytecode.mjs', building);
rmSync(outdir, { recursive: true, force: true });
renameSync(building, outdir);
