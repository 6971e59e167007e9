import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { outcomeOf, RECORDED, type RecordedCase, readCases } from '../testing/recorded-policies.js';

/** Differences from upstream, by the pattern of the name. Each must still be found. */
const DIFFERENCES: readonly { readonly pattern: RegExp; readonly reason: string }[] = [];

describe.skipIf(!existsSync(RECORDED))('recorded policies (need ../shared)', () => {
  test('have the outcomes of upstream', async () => {
    const different: { name: string; expected: unknown; found: unknown }[] = [];
    const seen = new Set<RegExp>();
    for (const recorded of readCases()) {
      const found = await outcomeOf(recorded);
      const expected = expectedOutcomes(recorded);
      if (expected.some((one) => isSame(one, found))) continue;
      const known = DIFFERENCES.find(({ pattern }) => pattern.test(recorded.name));
      if (known === undefined) different.push({ name: recorded.name, expected: expected[0], found });
      else seen.add(known.pattern);
    }
    expect(different).toEqual([]);
    expect(DIFFERENCES.filter(({ pattern }) => !seen.has(pattern))).toEqual([]);
  });
});

function expectedOutcomes({ expect: outcome }: RecordedCase): readonly unknown[] {
  return outcome.oneOf ?? [outcome];
}

function isSame(a: unknown, b: unknown): boolean {
  return sorted(a) === sorted(b);
}

/** JSON with sorted keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
