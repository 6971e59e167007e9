// Finds out, by starting the server, which modules can wait.
import { readFileSync, rmSync } from 'node:fs';
import { root } from './build-stale.mjs';
import { runRecording } from './run-recording.mjs';

/**
 * More than half of what a start would load are handlers, validation and kinds that it does not use.
 *
 * @param {import('rolldown').RolldownBuild} bundle
 * @param {import('rolldown').OutputOptions} output
 * @param {string} dir for its modules as files, removed again
 * @returns {Promise<{ start: Set<string>, requests: Set<string> }>} modules that were used when a server on an empty folder was
 *     ready, and when it had answered some requests
 */
export async function usedModules(bundle, output, dir) {
  rmSync(dir, { recursive: true, force: true });
  const options = { ...output, dir, minify: false, sourcemap: false, preserveModules: true, preserveModulesRoot: root };
  const { output: files } = await bundle.write({
    ...options,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  });
  runRecording('record-used-modules.mjs', dir);
  /** @type {{ start: string[], requests: string[] }} */
  const used = JSON.parse(readFileSync(`${dir}/used.json`, 'utf8'));
  rmSync(dir, { recursive: true });
  const modules = new Map(files.map((file) => [file.fileName, file.type === 'chunk' ? file.moduleIds : []]));
  const modulesOf = (/** @type {string[]} */ names) => new Set(names.flatMap((name) => modules.get(name) ?? []));
  return { start: modulesOf(used.start), requests: modulesOf(used.requests) };
}
