import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../harness/api-server.ts';

/** The PATH of a newcomer's shell: npm scripts put the repository's own Node before the machine's. */
const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
const newcomer: NodeJS.ProcessEnv = { ...process.env, PATH: path.join(delimiter) };
for (const name of Object.keys(newcomer)) if (/^npm_/i.test(name)) delete newcomer[name];

const npmMissing = spawnSync('npm', ['--version'], { env: newcomer }).status !== 0;

it.skipIf(npmMissing)(
  `npm ci warns of nothing, whatever Node the machine has${npmMissing ? ' (skipped: there is no npm on this machine)' : ''}`,
  { timeout: 60_000 },
  () => {
    const args = ['ci', '--dry-run', '--offline'];
    const run = spawnSync('npm', args, { cwd: repositoryRoot, env: newcomer, encoding: 'utf8', timeout: 50_000 });
    expect([run.status, run.stderr]).toEqual([0, '']);
  },
);
