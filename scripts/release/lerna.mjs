import { spawn } from 'node:child_process';
import { root } from '../build-stale.mjs';
import { installFolder } from '../npm/install-folder.mjs';

const folder = `${root}scripts/release`;

/**
 * Runs lerna in a copy of the repository, or in the repository itself, to its end.
 *
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Readonly<Record<string, string>> }} [options] `env` is added to the process's own
 * @returns {Promise<number>} its exit code; 1 if a signal ended it
 */
export async function runLerna(args, { cwd = root, env = {} } = {}) {
  await installFolder(folder);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`${folder}/node_modules/lerna/dist/cli.js`, ...args], {
      cwd,
      env: { ...process.env, NX_DAEMON: 'false', ...env },
      stdio: 'inherit',
    });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
