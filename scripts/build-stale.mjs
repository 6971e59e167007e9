import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Runs one of the repository's own Node programs to its end.
 *
 * @param {readonly string[]} args
 * @returns {Promise<number>} its exit code; 1 if a signal ended it
 */
function runNode(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Compiles every package, then bundles the binary. The compiler is incremental: what is up to date costs nothing.
 *
 * @returns {Promise<number>} the exit code of the first step that fails, else 0
 */
export async function build() {
  const steps = [['node_modules/typescript/bin/tsc', '-b']];
  if (existsSync(`${root}/scripts/bundle.mjs`)) steps.push(['scripts/bundle.mjs']);
  for (const step of steps) {
    const code = await runNode(step);
    if (code !== 0) return code;
  }
  return 0;
}
