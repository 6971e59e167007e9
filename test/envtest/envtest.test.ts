import { beforeAll, describe, expect, it } from 'vitest';
import { type GoTestResult, goMissing, goTestNames, runGoTests } from './go-tests.ts';

const missing = goMissing();
/** A machine that has never compiled client-go takes a while. */
const compileDeadlineMs = 8 * 60_000;

describe.skipIf(missing !== undefined)(
  `controller-runtime’s envtest on assets/${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    let results: ReadonlyMap<string, GoTestResult> = new Map();

    beforeAll(async () => {
      results = await runGoTests();
    }, compileDeadlineMs);

    it('compiles, starts and stops', () => {
      const { action, output } = results.get('') ?? { action: 'fail', output: 'go test printed nothing' };
      const failed = [...results].filter(([name, result]) => name !== '' && result.action === 'fail');
      expect(action === 'pass' || failed.length > 0, output).toBe(true);
    });

    it.each(goTestNames())('%s', (name) => {
      const { action, output } = results.get(name) ?? { action: 'fail', output: 'it did not run' };
      expect(action, output).toBe('pass');
    });
  },
);
