import { spawnSync } from 'node:child_process';
import { root } from '../build-stale.mjs';

/**
 * Runs a script of this folder that starts a server and records something of it. If that fails, shows the output of the
 * server.
 *
 * @param {string} script beside this one
 * @param {string[]} args
 */
export function runRecording(script, ...args) {
  for (let tried = 1; ; tried++) {
    const { status, stderr } = spawnSync(process.execPath, [`${root}scripts/bundle/${script}`, ...args], {
      encoding: 'utf8',
    });
    if (status === 0) return;
    if (status !== again || tried === 20) throw new Error(`${script} failed:\n${stderr}`);
  }
}

/** The exit code of a script that had bad luck. */
export const again = 75;
