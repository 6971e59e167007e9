import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repositoryRoot } from '../harness/api-server.ts';

export const envtestFolder = join(repositoryRoot, 'test/envtest');
/** The folder of KUBEBUILDER_ASSETS. */
export const assets = join(repositoryRoot, 'assets');

/** The result of one Go test, with its output. */
export interface GoTestResult {
  readonly action: 'pass' | 'fail' | 'skip';
  readonly output: string;
}

const fetchDeadlineMs = 240_000;

/** Undefined when the Go tests can be run, else why they are skipped. Fetches their modules. */
export function goMissing(): string | undefined {
  if (process.platform === 'win32') return 'envtest wants .exe files, which assets/ has none of';
  return modulesMissing(envtestFolder);
}

/** Undefined if the Go module in a folder compiles, else the reason. Fetches its dependencies. */
export function modulesMissing(folder: string): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return 'there is no Go on this machine';
  const options = { cwd: folder, encoding: 'utf8', timeout: fetchDeadlineMs } as const;
  const { status, stderr } = spawnSync('go', ['mod', 'download'], options);
  const reason = (stderr ?? '').trim().split('\n').at(-1)?.slice(0, 200);
  return status === 0 ? undefined : `the Go modules cannot be fetched: ${reason}`;
}

/** The names of all Go tests, read from their files. */
export function goTestNames(): readonly string[] {
  const files = readdirSync(envtestFolder).filter((name) => name.endsWith('_test.go'));
  const sources = files.map((name) => readFileSync(join(envtestFolder, name), 'utf8'));
  return sources.flatMap((source) => Array.from(source.matchAll(/^func (Test\w+)\(t /gm), ([, name]) => name ?? ''));
}

/**
 * Runs them on assets/ and returns the results by name; "" is the package itself, which fails when it does not compile.
 */
export async function runGoTests(): Promise<ReadonlyMap<string, GoTestResult>> {
  const { TEST_ASSET_ETCD: _etcd, TEST_ASSET_KUBE_APISERVER: _server, ...environment } = process.env;
  const child = spawn('go', ['test', '-count=1', '-json', '.'], {
    cwd: envtestFolder,
    env: { ...environment, KUBEBUILDER_ASSETS: assets },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const outputs = new Map<string, string>();
  const results = new Map<string, GoTestResult>();
  for await (const line of createInterface({ input: child.stdout })) {
    const { Action: action, Test: test = '', Output: output = '' } = JSON.parse(line) as GoTestEvent;
    outputs.set(test, (outputs.get(test) ?? '') + output);
    if (action === 'pass' || action === 'fail' || action === 'skip') {
      results.set(test, { action, output: outputs.get(test) ?? '' });
    }
  }
  return results;
}

/** One line of `go test -json`. */
interface GoTestEvent {
  readonly Action: string;
  readonly Test?: string;
  readonly Output?: string;
}
