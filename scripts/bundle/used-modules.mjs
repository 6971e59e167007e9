// Finds out, by starting the server, which modules can wait.
import { readFileSync, rmSync } from 'node:fs';
import { root } from '../build-stale.mjs';
import { runRecording } from './run-recording.mjs';

/**
 * More than half of what a start would load are handlers, validation and kinds that it does not use.
 *
 * @param {import('rolldown').RolldownBuild} bundle
 * @param {import('rolldown').OutputOptions} output
 * @param {string} dir for its modules as files, removed again
 * @returns {Promise<{ start: Set<string>, requests: Set<string>, firstObjects: string }>} modules that were used when a server was
 *     ready, on an empty folder and on one that was used before, and when it had served some requests; what a first start makes
 */
export async function usedModules(bundle, output, dir) {
  rmSync(dir, { recursive: true, force: true });
  const options = { ...output, dir, minify: false, sourcemap: false, preserveModules: true, preserveModulesRoot: root };
  const { output: files } = await bundle.write({
    ...options,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  });
  runRecording('record-first-objects.mjs', dir, 'first-objects.json');
  const firstObjects = readFileSync(`${dir}/first-objects.json`, 'utf8');
  // A first start makes what the second one finds.
  const starts = ['first', 'second'].map((name) => recordedIn(dir, `${name}.json`));
  rmSync(dir, { recursive: true });
  const modules = new Map(files.map((file) => [file.fileName, file.type === 'chunk' ? file.moduleIds : []]));
  const modulesOf = (/** @type {string[]} */ names) => new Set(names.flatMap((name) => modules.get(name) ?? []));
  return {
    start: modulesOf(starts.flatMap(({ start }) => start)),
    requests: modulesOf(starts.flatMap(({ requests }) => requests)),
    firstObjects,
  };
}

/**
 * @param {string} dir
 * @param {string} file
 * @returns {{ start: string[], requests: string[] }}
 */
function recordedIn(dir, file) {
  runRecording('record-used-modules.mjs', dir, file);
  return JSON.parse(readFileSync(`${dir}/${file}`, 'utf8'));
}
