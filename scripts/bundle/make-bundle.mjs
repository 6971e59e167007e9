// Makes one bundle: a file for what every start needs, chunks for what is loaded on first use. CommonJS, because Node
// links and runs it faster than modules; hundreds of small files cost several times as much. Code that a start does not
// use waits in a file of its own. Then records the bytecode of what a start runs.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { root } from '../build-stale.mjs';
import { asciiChunks } from './ascii-chunks.mjs';
import { defer } from './deferred.mjs';
import { forwardSlashes } from './forward-slashes.mjs';
import { keepChunks } from './keep-chunks.mjs';
import { checkSizes, inLayers } from './layers.mjs';
import { plugins } from './plugins.mjs';
import { usedModules } from './used-modules.mjs';

/** @typedef {import('./used-modules.mjs').UsedModules} UsedModules */

/**
 * @typedef {object} BundleSettings
 * @property {string} outdir replaced when the bundle is complete
 * @property {Record<string, string>} input name of an entry to its source
 * @property {readonly { name: string, root: string, layers?: readonly number[] }[]} groups modules that are loaded
 * together, each
 *     group named for its first module; a shared module belongs to the first group. `layers` are the last rings of the
 *     lower files of a group that is too large for one
 * @property {string} [startGroup] the group of all modules that a start uses, also those that it imports on first use
 * @property {(directory: string) => UsedModules} recordUsed starts the server of a folder with one file for each module
 * @property {(directory: string, entries: Record<string, string[]>) => void} recordBytecode completes the folder of the
 * bundle,
 *     and records its bytecode; `entries` has the exports of each entry
 */

/**
 * Modules of these that a start does not use. The first requests of clients may use them. Each is loaded on first use.
 */
const requests = 'requests';
const later = 'later';

/** @type {import('rolldown').OutputOptions} */
const format = {
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  // External modules are also required when they are loaded on first use: the loader of the bundle runs chunks as
  // scripts.
  dynamicImportInCjs: false,
  // Names stay, for readable stack traces in logs.
  minify: { mangle: false, compress: { keepNames: { function: true, class: true } }, codegen: true },
  sourcemap: true,
  // The packages have the sources in src; the maps would be 7 MB larger with them.
  sourcemapExcludeSources: true,
};

/** @type {import('rolldown').InputOptions} */
const settings = {
  cwd: root,
  platform: 'node',
  // It reads files that lie beside it.
  external: ['etcd3'],
  resolve: {
    conditionNames: ['@apiserver/source', 'node'],
    // Its ES modules require gRPC at run time, from packages that are not installed.
    alias: {
      '@opentelemetry/otlp-grpc-exporter-base': `${root}/node_modules/@opentelemetry/otlp-grpc-exporter-base/dist/index.cjs`,
    },
  },
  transform: {
    target: 'node24',
    // Node's own are accessors of the global object: V8 calls a function for each use, even in optimised code.
    inject: { Buffer: ['node:buffer', 'Buffer'], performance: ['node:perf_hooks', 'performance'] },
  },
  plugins,
  // So that a group may take what the entry exports.
  preserveEntrySignatures: 'allow-extension',
  // Groups are loaded on first use or with the resources that need them, whichever comes first. The eval is a
  // library's.
  checks: { ineffectiveDynamicImport: false, eval: false },
};

/**
 * @param {BundleSettings} wanted
 */
export async function makeBundle({ outdir, input, groups, startGroup, recordUsed, recordBytecode }) {
  // Replaces the old folder when it is complete, because other tests may be starting servers from there.
  const building = `${outdir}.new`;
  const output = { ...format, dir: building };
  rmSync(building, { recursive: true, force: true });
  const bundle = await rolldown({ ...settings, input });
  const alone = await bundle.generate({ ...output, minify: false, sourcemap: false });
  const grouped = groupedModules(groups, chunksOf(alone));
  const used = await usedModules(bundle, output, { dir: `${outdir}.modules`, record: recordUsed });
  if (startGroup !== undefined) groupStart(startGroup, { used: used.start, chunks: chunksOf(alone), grouped });
  for (const id of grouped.keys()) if (!used.start.has(id)) grouped.set(id, used.requests.has(id) ? requests : later);
  const layered = inLayers(groups, grouped);
  const written = await bundle.write({
    ...output,
    codeSplitting: {
      groups: [{ debugName: 'groups', name: (id) => layered.get(id) }],
      includeDependenciesRecursively: false,
    },
  });
  await bundle.close();
  checkSizes(chunksOf(written).filter(({ moduleIds }) => moduleIds.some((id) => used.start.has(id))));
  await writeYamlWorker(output);
  for (const { name, fileName } of chunksOf(written)) {
    if (name === requests || name === later) defer(`${building}/${fileName}`);
  }
  writeFileSync(`${building}/first-objects.json`, used.firstObjects);
  recordBytecode(building, used.entries);
  keepChunks(outdir);
  rmSync(outdir, { recursive: true, force: true });
  renameSync(building, outdir);
}

/**
 * @param {import('rolldown').RolldownOutput} output
 */
function chunksOf({ output }) {
  return output.filter((file) => file.type === 'chunk');
}

/**
 * By default, rolldown makes a chunk of modules with the same importers: a start would read dozens, each for a
 * millisecond. So each group becomes one file.
 *
 * @param {BundleSettings['groups']} groups
 * @param {readonly import('rolldown').OutputChunk[]} chunks of a bundle without groups
 * @returns {Map<string, string>} module to the name of its group
 */
function groupedModules(groups, chunks) {
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

/**
 * Also groups everything that a chunk of these imports: if a rest of it stayed alone, rolldown would import from that
 * rest.
 *
 * @param {string} name of the group
 * @param {{ used: Set<string>, chunks: readonly import('rolldown').OutputChunk[], grouped: Map<string, string> }}
 * modules
 */
function groupStart(name, { used, chunks, grouped }) {
  for (const id of used) grouped.set(id, name);
  const reached = new Set(chunks.filter(({ moduleIds }) => moduleIds.some((id) => used.has(id))));
  for (const chunk of reached) {
    for (const id of chunk.moduleIds) if (!grouped.has(id)) grouped.set(id, name);
    for (const other of chunks) if (chunk.imports.includes(other.fileName)) reached.add(other);
  }
}

/**
 * Threads load the whole file, so it has only their code.
 *
 * @param {import('rolldown').OutputOptions} output
 */
async function writeYamlWorker(output) {
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
}
