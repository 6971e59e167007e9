import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../harness/api-server.ts';

/** A carrier of Node, as package.json names them. */
const CARRIER = 'node-of-this-platform';
const NATIVE = { optional: true, os: [process.platform], cpu: [process.arch] };

/** Records each call, and the Node that runs it. */
const fakeNpm = `
const { appendFileSync } = require('node:fs');
const node = process.execPath === process.env.CARRIED ? 'carried' : 'own';
appendFileSync(process.env.CALLS, node + ' ' + process.argv.slice(2).join(' ') + '\\n');
`;

describe('the end of npm ci', () => {
  let folder: string;
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const lock = (packages: object) => write('package-lock.json', JSON.stringify({ packages }));
  const complete = () => {
    const calls = join(folder, 'calls');
    const carried = join(folder, 'node_modules', CARRIER, 'bin/node');
    const env = { ...process.env, npm_execpath: join(folder, 'npm.js'), CALLS: calls, CARRIED: carried };
    const run = spawnSync(process.execPath, ['scripts/npm/complete-install.mjs'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect([run.status, run.stderr]).toEqual([0, '']);
    return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'complete-install-'));
    for (const name of ['build-stale.mjs', 'npm/complete-install.mjs', 'npm/run-npm.mjs']) {
      cpSync(join(repositoryRoot, 'scripts', name), join(folder, 'scripts', name));
    }
    write('npm.js', fakeNpm);
    write('package.json', JSON.stringify({ optionalDependencies: { 'node-of-another': '1.0.0', [CARRIER]: '1.0.0' } }));
    write(`node_modules/${CARRIER}/package.json`, JSON.stringify({ bin: { node: 'bin/node' } }));
    write('node_modules/native/package.json', '{}');
    lock({ 'node_modules/native': NATIVE });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('changes nothing that is complete', () => {
    write('node_modules/.bin/node', '');
    lock({
      'node_modules/native': NATIVE,
      'node_modules/of-another-system': { ...NATIVE, os: ['plan9'] },
      'node_modules/of-another-processor': { ...NATIVE, cpu: ['pdp11'] },
      'node_modules/of-another-libc': { ...NATIVE, libc: ['another'] },
      'node_modules/for-all': { optional: true },
    });
    expect(complete()).toEqual([]);
  });

  it('links the command that npm removed', () => {
    expect(complete()).toEqual([`own rebuild ${CARRIER}`]);
  });

  it.skipIf(process.platform === 'win32')('installs what npm left out, and links afterwards', () => {
    mkdirSync(join(folder, 'node_modules', CARRIER, 'bin'));
    cpSync(process.execPath, join(folder, 'node_modules', CARRIER, 'bin/node'));
    lock({ 'node_modules/native': NATIVE, 'node_modules/left-out': NATIVE });
    expect(complete()).toEqual([
      'carried install --no-save --ignore-scripts --no-audit --no-fund',
      `own rebuild ${CARRIER}`,
    ]);
  });

  it('leaves a machine alone for which there is no Node', () => {
    rmSync(join(folder, 'node_modules', CARRIER), { recursive: true });
    lock({ 'node_modules/left-out': NATIVE });
    expect(complete()).toEqual([]);
  });
});
