import { spawnSync } from 'node:child_process';
import { root } from './build-stale.mjs';

/**
 * Runs a script of this folder that starts a server and records something of it. What the server says is shown if that fails.
 *
 * @param {string} script beside this one
 * @param {string} directory
 */
export function runRecording(script, directory) {
  const { status, stderr } = spawnSync(process.execPath, [`${root}scripts/${script}`, directory], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script} failed:\n${stderr}`);
}
