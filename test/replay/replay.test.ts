import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot, startApiServer, temporaryDirectory } from '../harness/api-server.ts';

/** Recorded conversations with real servers. Not part of the repository. */
const recordings = join(repositoryRoot, '../shared/replay');
const missing = existsSync(join(recordings, 'replay.mjs')) ? undefined : 'there are no recordings on this machine';

/** A difference from the recording that is known, with the reason why it stands. */
interface Exception {
  readonly case: string;
  readonly step: string;
  /** JSON pointer of the difference, or the beginning of several. */
  readonly pointer: string;
  readonly reason: string;
}
interface Plan {
  /** `area/name` of the cases about implemented parts. */
  readonly cases: readonly string[];
  readonly exceptions: readonly Exception[];
}
interface Difference {
  readonly step: string;
  readonly pointer: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
}
interface CaseResult {
  readonly name: string;
  readonly file: string;
  readonly result: 'ok' | 'diff' | 'skip';
  readonly reason?: string;
  readonly diffs?: readonly Difference[];
}

const plan: Plan = JSON.parse(readFileSync(join(repositoryRoot, 'test/replay-exceptions.json'), 'utf8'));
const caseName = (file: string) =>
  file
    .replace(/^.*\//, '')
    .replace(/\.json$/, '')
    .replace('--', '/');

async function replay(kubeconfig: string): Promise<ReadonlyMap<string, CaseResult>> {
  using folder = temporaryDirectory('replay');
  const report = join(folder.path, 'report.json');
  const filter = `^(${plan.cases.join('|')})$`;
  const args = [
    'replay.mjs',
    '--kubeconfig',
    kubeconfig,
    '--cases',
    'public',
    '--filter',
    filter,
    '--all',
    '--json',
    report,
  ];
  const child = spawn(process.execPath, args, { cwd: recordings, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await once(child, 'close');
  if (!existsSync(report)) throw new Error(`the replay did not run:\n${stderr}`);
  const { results }: { results: readonly CaseResult[] } = JSON.parse(readFileSync(report, 'utf8'));
  return new Map(results.map((result) => [caseName(result.file), result]));
}

describe.skipIf(missing !== undefined)(`recorded conversations${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let results: ReadonlyMap<string, CaseResult>;

  beforeAll(async () => {
    await using server = await startApiServer({ args: ['--authorization-mode=RBAC', '--allow-privileged'] });
    results = await replay(server.kubeconfig);
  }, 300_000);
  afterAll(() => {
    const passed = [...(results?.values() ?? [])].filter(({ result }) => result === 'ok').length;
    console.log(`replay: ${passed} of ${plan.cases.length} cases respond as recorded`);
  });

  it.each(plan.cases)('%s', (name) => {
    const result = results.get(name);
    expect(result?.result, result?.reason ?? 'the case is not among the recordings').toMatch(/^(ok|diff)$/);
    const known = plan.exceptions.filter((exception) => exception.case === name);
    const covers = (exception: Exception, difference: Difference) =>
      exception.step === difference.step && difference.pointer.startsWith(exception.pointer);
    const differences = result?.diffs ?? [];
    expect(differences.filter((difference) => !known.some((exception) => covers(exception, difference)))).toEqual([]);
    // An exception that is no longer one must go, or it would hide the next mistake.
    expect(known.filter((exception) => !differences.some((difference) => covers(exception, difference)))).toEqual([]);
  });
});
