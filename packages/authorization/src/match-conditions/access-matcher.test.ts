import { readFileSync } from 'node:fs';
import type { SubjectAccessReviewSpec } from '@apiserver/api/authorization/v1';
import { describe, expect, it } from 'vitest';
import { AccessMatcher } from './access-matcher.js';
import { compileConditions, conditionCompiler } from './compile-conditions.js';

interface Recorded {
  readonly conditions: readonly string[];
  readonly spec: SubjectAccessReviewSpec;
  readonly matches?: boolean;
  /** Upstream's message. */
  readonly error?: string;
}

/** Results of CELMatcher.Eval of k8s.io/apiserver v0.36.6. */
const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('recorded-matches.json', import.meta.url), 'utf8'),
);

const compiler = conditionCompiler();

function setUp(conditions: readonly string[]) {
  const counted: string[] = [];
  const compiled = compileConditions(conditions, compiler);
  expect(compiled.errors).toEqual([]);
  const matcher = new AccessMatcher(compiled, {
    evaluated: (seconds) => void counted.push(seconds >= 0 ? 'evaluated' : 'a negative time'),
    failed: () => void counted.push('failed'),
    excluded: () => void counted.push('excluded'),
  });
  return { counted, matcher };
}

describe('AccessMatcher', () => {
  it.each(recorded)('$conditions on $spec', async ({ conditions, spec, matches, error }) => {
    const result = await setUp(conditions).matcher.match(spec);
    expect('error' in result ? { error: result.error.message } : result).toEqual(error ? { error } : { matches });
  });

  it.each<[conditions: readonly string[], counted: readonly string[]]>([
    [['true'], ['evaluated']],
    [
      ['false', 'true'],
      ['excluded', 'evaluated'],
    ],
    [['1 / request.user.size() == 1'], ['evaluated', 'failed']],
    [
      ['1 / request.user.size() == 1', 'false'],
      ['excluded', 'evaluated', 'failed'],
    ],
  ])('%j count as %j', async (conditions, counts) => {
    const { counted, matcher } = setUp(conditions);
    await matcher.match({});
    expect(counted).toEqual(counts);
  });

  it('gives others their turns between expensive conditions', async () => {
    const list = `[${Array.from({ length: 40 }, (_, i) => i).join(',')}]`;
    const expensive = (n: number) => `${list}.all(a, ${list}.all(b, ${list}.all(c, a + b + c >= ${-n})))`;
    const { matcher } = setUp(Array.from({ length: 64 }, (_, n) => expensive(n)));
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    const result = await matcher.match({});
    clearInterval(count);
    expect([result, turns > 2]).toEqual([{ matches: true }, true]);
  });
});
