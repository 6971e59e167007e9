import { describe, expect, it } from 'vitest';
import { countTests, filesOfSecondRun, mergeRuns } from './results.mjs';

const file = (name: string, ...statuses: readonly string[]) => ({
  name,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status, index) => ({ fullName: `test ${index}`, status })),
});
const broken = (name: string) => ({ name, status: 'failed', assertionResults: [] });

describe('results of vitest', () => {
  it('are counted, and a file that does not load is one failure', () => {
    const files = [file('a', 'passed', 'skipped', 'todo'), file('b', 'failed', 'passed', 'failed'), broken('c')];
    expect(countTests(files)).toEqual({ passed: 2, failed: 3, skipped: 2 });
  });

  it('name up to three files for a second run', () => {
    const failed = ['a', 'b', 'c'].map((name) => file(name, 'failed'));
    expect(filesOfSecondRun([file('x', 'passed'), ...failed])).toEqual(['a', 'b', 'c']);
    expect(filesOfSecondRun([...failed, broken('d')])).toEqual([]);
  });

  it('of a second run replace those of the first, which stay named', () => {
    const first = [file('a', 'failed', 'passed'), file('b', 'passed'), file('c', 'failed'), broken('d')];
    const second = [file('a', 'passed', 'passed'), file('c', 'failed'), file('d', 'passed')];
    const { files, unsteady } = mergeRuns(first, second);
    expect(countTests(files)).toEqual({ passed: 4, failed: 1, skipped: 0 });
    expect(unsteady).toEqual(['a: test 0', 'd: the file itself']);
  });
});
