import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { root } from '../build-stale.mjs';
import { runNpm } from '../run-npm.mjs';

const folder = `${root}scripts/release`;

/** npm leaves it with what it has installed. */
const installed = `${folder}/node_modules/.package-lock.json`;

/** Installs lerna, which nothing but a release and its trial needs, unless the lockfile beside this says that it is there. */
async function install() {
  const at = statSync(installed, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (at < statSync(`${folder}/package-lock.json`).mtimeMs) {
    await runNpm(['ci', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], folder);
  }
}

/**
 * Runs lerna in a copy of the repository, or in the repository itself, to its end.
 *
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Readonly<Record<string, string>> }} [options] `env` is added to the process's own
 * @returns {Promise<number>} its exit code; 1 if a signal ended it
 */
export async function runLerna(args, { cwd = root, env = {} } = {}) {
  await install();
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
