// Runs what lies in a folder with one file for each module, and knows what of it is used.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { runInThisContext } from 'node:vm';
import { forwardSlashes } from './forward-slashes.mjs';

/**
 * @param {string} directory
 * @returns {{ load: (file: string) => any, used: () => string[] }} what a file of the folder exports, and the files
 * that
 *     have been used by now
 */
export function moduleFiles(directory) {
  const outside = createRequire(join(directory, 'outside.cjs'));
  const inFolder = (/** @type {string} */ file) => forwardSlashes(relative(directory, file));
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
    const run = runInThisContext(
      `(function (exports, require, module, __filename) {${readFileSync(file, 'utf8')}\n})`,
      {
        filename: file,
      },
    );
    const inBundle = (/** @type {string} */ id) => onFirstUse(join(dirname(file), id));
    const require = (/** @type {string} */ id) => (id.startsWith('.') ? inBundle(id) : outside(id));
    run(module.exports, Object.assign(require, outside), module, file);
    return module.exports;
  }

  /**
   * Importing a module of ours does nothing, so it can wait until something of it is wanted. Others are loaded with
   * what needs them.
   *
   * @param {string} file
   */
  function onFirstUse(file) {
    if (!inFolder(file).startsWith('packages/')) return load(file);
    return new Proxy({}, { get: (_, name) => Reflect.get(load(file), name) });
  }

  return {
    load: (file) => load(join(directory, file)),
    used: () => [...used.keys()].map(inFolder),
  };
}
