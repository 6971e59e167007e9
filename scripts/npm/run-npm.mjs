import { spawn } from 'node:child_process';
import { root } from '../build-stale.mjs';

/**
 * Runs npm to its end, the same npm that runs this script where one does. Shows its errors only; rejects when it fails.
 *
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {string} node the Node that runs npm
 * @returns {Promise<void>}
 */
export function runNpm(args, cwd = root, node = process.execPath) {
  /** @type {import('node:child_process').SpawnOptions} */
  const options = { cwd, stdio: ['ignore', 'ignore', 'inherit'] };
  const program = process.env['npm_execpath'];
  const child = program?.endsWith('.js')
    ? spawn(node, [program, ...args], options)
    : // On Windows npm is a script of the shell.
      spawn('npm', args, { ...options, shell: process.platform === 'win32' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`npm ${args[0]} ended with ${code}`))));
  });
}
