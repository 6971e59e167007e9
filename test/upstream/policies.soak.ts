import { isDeepStrictEqual } from 'node:util';
import { outcomeOf, type PolicyCase } from '@apiserver/admission/testing';
import { it } from 'vitest';
import { compareCases } from './compare-cases.ts';
import { RandomPolicy } from './random-policy.ts';
import { describeUpstream } from './upstream-program.ts';

type Outcome = Readonly<Record<string, unknown>>;

async function ours(one: PolicyCase): Promise<Outcome> {
  return comparable((await outcomeOf(structuredClone(one))) as Outcome);
}

/**
 * Upstream prints the addresses of some values that a mutation puts into a text. Errors of its library for protobuf
 * have one of two spaces, depending on the build.
 */
function comparable(outcome: Outcome): Outcome {
  return JSON.parse(
    JSON.stringify(outcome)
      .replaceAll('proto:\u00a0', 'proto: ')
      .replaceAll(/\(0x[0-9a-f]{9,}\)/g, '(ADDRESS)'),
  ) as Outcome;
}

/** No expectation where upstream panics. */
function difference(theirs: Outcome, ours: Outcome): unknown {
  if (theirs['panics'] !== undefined || isDeepStrictEqual(theirs, ours)) return undefined;
  return { theirs, ours };
}

describeUpstream('policies', (upstream) => {
  it('have upstream’s outcomes', () =>
    compareCases(upstream(), {
      area: 'policy',
      randomCase: (random) => new RandomPolicy(random).case(),
      ours,
      theirs: comparable,
      difference,
    }));
});
