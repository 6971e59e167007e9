import { statSync } from 'node:fs';
import { runNpm } from './run-npm.mjs';

/**
 * Installs what a folder's own lockfile names, unless npm has done so since the lockfile changed. For tools that most
 * contributors never run, and that `npm ci` therefore leaves out.
 *
 * @param {string} folder absolute path of a folder with package.json and package-lock.json
 */
export async function installFolder(folder) {
  // npm leaves this file with what it has installed.
  const installed = statSync(`${folder}/node_modules/.package-lock.json`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (installed < statSync(`${folder}/package-lock.json`).mtimeMs) {
    await runNpm(['ci', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], folder);
  }
}
