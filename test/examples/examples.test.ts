import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { JavaProject } from '../clients/java-project.ts';
import { assets, goMissing, modulesMissing } from '../envtest/go-tests.ts';
import { repositoryRoot } from '../harness/api-server.ts';

const examples = join(repositoryRoot, 'examples');
const server = join(assets, 'kube-apiserver');
const pythonLibraries = join(repositoryRoot, 'node_modules/.cache/python-example');
const fetchDeadlineMs = 120_000;

const fabric8 = new JavaProject('fabric8');

const missing = {
  go: goMissing() ?? modulesMissing(join(examples, 'go')),
  java: fabric8.missing(),
  python: pythonMissing(),
};

/** Undefined if the example in Python can be run, else the reason. Fetches the client. */
function pythonMissing(): string | undefined {
  if (process.platform === 'win32') return 'assets/ has no .exe files';
  if (spawnSync('python3', ['--version']).status !== 0) return 'there is no Python on this machine';
  if (existsSync(join(pythonLibraries, 'kubernetes'))) return undefined;
  const requirements = join(examples, 'python/requirements.txt');
  const args = ['-m', 'pip', 'install', '--quiet', '--target', pythonLibraries, '--requirement', requirements];
  const { status, stderr } = spawnSync('python3', args, { encoding: 'utf8', timeout: fetchDeadlineMs });
  return status === 0 ? undefined : `the client cannot be fetched: ${stderr.trim().slice(-200)}`;
}

function skipped(reason: string | undefined): string {
  return reason === undefined ? '' : ` (skipped: ${reason})`;
}

/** The exit code and the whole output. */
async function run(command: string, args: readonly string[], folder: string, variables: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, ...variables };
  const child = spawn(command, args, { cwd: join(examples, folder), env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, output: `${stdout}${stderr}` };
}

it.skipIf(missing.go !== undefined)(`in Go${skipped(missing.go)}`, { timeout: 300_000 }, async () => {
  const { code, output } = await run('go', ['test', '-count=1', '-v', '.'], 'go', { KUBEBUILDER_ASSETS: assets });
  expect([code, output.match(/^--- PASS: \w+/gm)], output).toEqual([
    0,
    ['TestBeginsAsPrepared', 'TestRetriesConflicts', 'TestEventsExpire'].map((name) => `--- PASS: ${name}`),
  ]);
});

it.skipIf(missing.java !== undefined)(`in Java${skipped(missing.java)}`, { timeout: 120_000 }, async () => {
  expect(await run('java', ['-cp', fabric8.classpath(), 'Example.java', server], 'java')).toEqual({
    code: 0,
    output: 'restored: null\nrefused: 409 Conflict\nupdated: settings\n',
  });
});

it.skipIf(missing.python !== undefined)(`in Python${skipped(missing.python)}`, { timeout: 120_000 }, async () => {
  const variables = { PYTHONPATH: pythonLibraries, PYTHONDONTWRITEBYTECODE: '1' };
  const { code, output } = await run('python3', ['example_test.py', server], 'python', variables);
  expect([code, /^Ran 2 tests/m.test(output)], output).toEqual([0, true]);
});
