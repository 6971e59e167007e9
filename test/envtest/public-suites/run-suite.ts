import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import type { Suite } from './suites.ts';

/** The results of a package's tests: Go's tests without subtests, and the specs of Ginkgo. */
export interface SuiteResult {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: number;
  readonly seconds: number;
  readonly output: string;
}

/** One line of `go test -json`. */
interface GoTestEvent {
  readonly Action: string;
  readonly Test?: string;
  readonly Output?: string;
}

const deadline = '15m';

/** Runs one package's tests in its module's folder. */
export async function runSuite(
  folder: string,
  { path }: Suite,
  environment: Readonly<Record<string, string>>,
): Promise<SuiteResult> {
  const started = performance.now();
  const outputs = new Map<string, string>();
  const ends = new Map<string, string>();
  const flags = ['test', '-count=1', '-json', '-vet=off', `-timeout=${deadline}`];
  const child = spawn('go', [...flags, `./${path}`], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { Action: action, Test: test = '', Output: output = '' } = JSON.parse(line) as GoTestEvent;
    outputs.set(test, (outputs.get(test) ?? '') + stripVTControlCharacters(output));
    if (action === 'pass' || action === 'fail' || action === 'skip') ends.set(test, action);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  return { ...countTests(outputs, ends), seconds, output: [...outputs.values()].join('') };
}

type Counts = Pick<SuiteResult, 'passed' | 'failed' | 'skipped'>;

/**
 * Counts how tests ended, from their outputs and ends by name ("" is the package). Tests that have subtests are counted
 * by these; a test that runs specs is counted by the specs.
 */
export function countTests(outputs: ReadonlyMap<string, string>, ends: ReadonlyMap<string, string>): Counts {
  const named = [...ends].filter(([name]) => name !== '');
  const specs = specsOf([...outputs.values()].join(''));
  const own = named.filter(([name]) => !/Ran \d+ of \d+ Specs/.test(outputs.get(name) ?? ''));
  const ended = (end: string) => own.filter(([, one]) => one === end).map(([name]) => name);
  const isParent = (name: string, of: readonly string[]) => of.some((one) => one.startsWith(`${name}/`));
  const all = named.map(([name]) => name);
  const leaves = (names: readonly string[]) => names.filter((name) => !isParent(name, all));
  const failed = ended('fail');
  // A package that does not compile has no tests.
  const broken = ends.get('') === 'fail' && named.length === 0 ? ['(the package itself)'] : [];
  return {
    passed: leaves(ended('pass')).length + (specs?.passed ?? 0),
    // A test may fail without any of its subtests.
    failed: [...broken, ...failed.filter((name) => !isParent(name, failed)), ...(specs?.failed ?? [])],
    skipped: leaves(ended('skip')).length + (specs?.skipped ?? 0),
  };
}

/**
 * The counts of Ginkgo's last lines, `3 Passed | 1 Failed | 2 Pending | 0 Skipped`, and a name for each failure. When
 * BeforeSuite fails, no spec begins, and each of them is a failure with that name.
 */
function specsOf(output: string): Counts | undefined {
  const blocked = /Ran 0 of (\d+) Specs[^\n]*\n[^\n]*-- A BeforeSuite node failed/.exec(output);
  if (blocked !== null) {
    return { passed: 0, failed: Array.from({ length: Number(blocked[1]) }, () => '[BeforeSuite]'), skipped: 0 };
  }
  const summary = /-- (\d+) Passed \| \d+ Failed \|(?: [^|]+ \|)* (\d+) Pending \| (\d+) Skipped/.exec(output);
  if (summary === null) return undefined;
  const [, passed = '0', pending = '0', skipped = '0'] = summary;
  const failed = Array.from(output.matchAll(/^ *\[(?:FAIL|PANICKED!|TIMEDOUT)\] (.*)$/gm), ([, name = '']) =>
    name.trim(),
  );
  return { passed: Number(passed), failed, skipped: Number(pending) + Number(skipped) };
}
