import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  evaluateCase,
  RECORDED,
  type RecordedCase,
  type RecordedOutcome,
  readRecording,
} from '../testing/recorded-results.js';
import { recordedValue } from '../testing/recorded-value.js';
import { EvaluationError } from '../values/value.js';

/** Differences from upstream, by the pattern of the name and what is found here. Each pattern must still find one. */
const DIFFERENCES: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /^composed-variables\/0038/,
    reason: 'upstream iterates over the values of variables, not over their names',
  },
  { pattern: /"t":"unknown"/, reason: 'expressions cannot read properties of any type' },
  {
    pattern: /^schema-scalars\/\d+: error: invalid data, expected (XIntOrString|int)/,
    reason: 'JSON numbers such as 1.0 are integers here',
  },
];

describe.skipIf(!existsSync(RECORDED))('recorded results (need ../shared)', () => {
  test('have the values, errors and costs of upstream', () => {
    const recording = readRecording();
    const different: { name: string; expected: string | undefined; found: string }[] = [];
    const seen = new Set<RegExp>();
    let agreed = 0;
    for (const recorded of recording.cases) {
      const { name } = recorded;
      const expected = outcomesOf(recorded);
      const found = outcomeOf(evaluateCase(recorded, recording));
      const known = DIFFERENCES.find(({ pattern }) => pattern.test(`${name}: ${expected[0]}: ${found}`));
      if (expected.includes(found)) agreed++;
      else if (known === undefined) different.push({ name, expected: expected[0], found });
      else seen.add(known.pattern);
    }
    expect(different).toEqual([]);
    expect(agreed).toBeGreaterThan(5280);
    expect(DIFFERENCES.filter(({ pattern }) => !seen.has(pattern))).toEqual([]);
  });
});

function outcomesOf({ expect: outcome }: RecordedCase): readonly string[] {
  if (outcome.programError !== undefined) return [`program error: ${outcome.programError}`];
  const outcomes: readonly RecordedOutcome[] = outcome.oneOf ?? [outcome];
  return outcomes.map(({ error, value, cost }) => describeOutcome(error, value, cost));
}

function outcomeOf(found: ReturnType<typeof evaluateCase>): string {
  if ('compileError' in found) return `compile error: ${found.compileError}`;
  if ('programError' in found) return `program error: ${found.programError}`;
  const { result, cost } = found;
  if (result instanceof EvaluationError) return describeOutcome(result.message, undefined, String(cost));
  return describeOutcome(undefined, recordedValue(result), String(cost));
}

function describeOutcome(error: string | undefined, value: unknown, cost: string | undefined): string {
  return error === undefined ? `${JSON.stringify(value)} for ${cost}` : `error: ${error} for ${cost}`;
}
