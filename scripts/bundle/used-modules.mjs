// Finds out, by starting the server, which modules can wait.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { root } from '../build-stale.mjs';
import { runRecording } from './run-recording.mjs';

/**
 * The files of a server that were used when it was ready, and when it had served some requests; the objects of a first
 * start.
 *
 * @typedef {{ start: readonly string[], requests: readonly string[], firstObjects: string }} UsedModules
 */

/**
 * More than half of what a start would load are handlers, validation and kinds that it does not use.
 *
 * @param {import('rolldown').RolldownBuild} bundle
 * @param {import('rolldown').OutputOptions} output
 * @param {{ dir: string, record: (dir: string) => UsedModules }} recording `dir` gets its modules as files, and is
 * removed again
 * @returns {Promise<{ start: Set<string>, requests: Set<string>, firstObjects: string, entries: Record<string,
 * string[]> }>} as
 *     `record` returns them, with names of modules; and the exports of each entry
 */
export async function usedModules(bundle, output, { dir, record }) {
  rmSync(dir, { recursive: true, force: true });
  const options = { ...output, dir, minify: false, sourcemap: false, preserveModules: true, preserveModulesRoot: root };
  const { output: files } = await bundle.write({
    ...options,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  });
  const { start, requests, firstObjects } = record(dir);
  rmSync(dir, { recursive: true });
  const modules = new Map(files.map((file) => [file.fileName, file.type === 'chunk' ? file.moduleIds : []]));
  const modulesOf = (/** @type {readonly string[]} */ names) =>
    new Set(names.flatMap((name) => modules.get(name) ?? []));
  const entries = Object.fromEntries(
    files.flatMap((file) => (file.type === 'chunk' && file.isEntry ? [[file.name, file.exports]] : [])),
  );
  return { start: modulesOf(start), requests: modulesOf(requests), firstObjects, entries };
}

/** Beside the module that looks for it. */
const placeOfFirstObjects = 'packages/kube-apiserver/src/start/first-objects.json';

/**
 * @param {string} dir
 * @param {{ script: string, file: string, firstObjects?: string }} recording
 * @returns {{ start: string[], requests: string[] }}
 */
export function recordedIn(dir, { script, file, firstObjects }) {
  if (firstObjects !== undefined) {
    const place = `${dir}/${placeOfFirstObjects}`;
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, firstObjects);
  }
  runRecording(script, dir, file);
  return JSON.parse(readFileSync(`${dir}/${file}`, 'utf8'));
}
