import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { reportSoak, soakShare } from '@apiserver/registry-store/testing';
import { expect } from 'vitest';
import { Random } from '../watch/random.ts';
import type { UpstreamProgram } from './upstream-program.ts';

/** Answers questions as upstream does. */
export type Upstream = Pick<UpstreamProgram, 'ask'>;

/** Cases of an area, and both answers to them. */
export interface Comparison<Case extends object, Answer> {
  readonly area: string;
  randomCase(random: Random): Case;
  ours(one: Case): Answer | Promise<Answer>;
  /** Upstream's answer in the form of ours. Default: unchanged. */
  theirs?(answer: never, one: Case): Answer;
  /** The difference to show, or undefined if there is none. Default: both answers unless they are deeply equal. */
  difference?(theirs: Answer, ours: Answer, one: Case): unknown;
  /** Cases that upstream answers while we answer the ones before. Default 200. */
  readonly batch?: number;
  /** Cases that we answer at the same time. Default 1. */
  readonly atOnce?: number;
  /** Maximum number of questions to upstream about a case that differs. Default 40. */
  readonly mostAsked?: number;
}

/** Differences to print before a run gives up. */
const MAX_SHOWN = Number(process.env['SOAK_SHOWN'] ?? 10);
/** Go visits maps in a random order, and a second may pass between two writes: upstream is asked again. */
const MAX_ASKED = 40;

interface Difference {
  readonly one: unknown;
  readonly difference: unknown;
}

/**
 * Compares random cases until the file's share of time is over. The seed makes the same cases again. SOAK_DIFFERENCES
 * names a file for the differences.
 */
export async function compareCases<Case extends object, Answer>(
  upstream: Upstream,
  comparison: Comparison<Case, Answer>,
): Promise<void> {
  const { seconds, seed } = soakShare();
  const random = new Random(seed);
  const end = performance.now() + seconds * 1000;
  const differences: Difference[] = [];
  let compared = 0;
  while (performance.now() < end && differences.length < MAX_SHOWN) {
    const cases = Array.from({ length: comparison.batch ?? 200 }, () => comparison.randomCase(random));
    const asked = cases.map((one) => ({ one, answer: upstream.ask<never>(comparison.area, one) }));
    for (const { answer } of asked) answer.catch(() => undefined);
    const { atOnce = 1 } = comparison;
    for (let at = 0; at < asked.length; at += atOnce) {
      const found = asked.slice(at, at + atOnce).map(async ({ one, answer }) => {
        const difference = await differenceOf(upstream, comparison, one, await answer);
        if (difference !== undefined) differences.push({ one, difference });
      });
      await Promise.all(found);
    }
    compared += cases.length;
  }
  const file = process.env['SOAK_DIFFERENCES'];
  if (file !== undefined) writeFileSync(file, JSON.stringify(differences, null, 1));
  reportSoak(`${compared} cases of ${comparison.area}, ${differences.length} differ`);
  expect(differences.slice(0, MAX_SHOWN), `--seed=${seed}`).toEqual([]);
}

async function differenceOf<Case extends object, Answer>(
  upstream: Upstream,
  { area, ours, theirs = (answer) => answer, difference = unequal, mostAsked = MAX_ASKED }: Comparison<Case, Answer>,
  one: Case,
  first: never,
): Promise<unknown> {
  let answer = first;
  let found: unknown;
  for (let asked = 0; asked < mostAsked; asked++) {
    found = difference(theirs(answer, one), await ours(one), one);
    if (found === undefined) return undefined;
    answer = await upstream.ask<never>(area, one);
  }
  return found;
}

function unequal(theirs: unknown, ours: unknown): unknown {
  return isDeepStrictEqual(theirs, ours) ? undefined : { theirs, ours };
}
