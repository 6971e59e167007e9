import type { PolicyRule } from '@apiserver/api/rbac/v1';
import { describe, expect, it } from 'vitest';
import { testPathRule, testRule } from '../testing/index.js';
import { type CoverageLimits, findUncovered, type Uncovered } from './covers.js';

/** Runs a check to its end, and counts its steps. */
function drain(owners: PolicyRule[], granted: PolicyRule[], limits?: CoverageLimits): Uncovered & { steps: number } {
  const check = findUncovered(owners, granted, limits);
  for (let steps = 0; ; steps++) {
    const step = check.next();
    if (step.done === true) return { steps, ...step.value };
  }
}

const NO_LIMIT = Number.POSITIVE_INFINITY;

/** The look-ups of a check: the smallest limit that it does not exceed. */
function lookupsOf(owners: PolicyRule[], granted: PolicyRule[]): number {
  for (let lookups = 0; ; lookups++) {
    if (drain(owners, granted, { lookups, missing: NO_LIMIT }).unchecked.length === 0) return lookups;
  }
}

const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index}`);
const times = (count: number, rule: PolicyRule) => Array.from({ length: count }, () => rule);

const own = testRule('get', ['g'], 'r');
const both = testRule('get list', ['g', 'h'], 'r q', 'n m');
const paths = testPathRule('get', '/a/* /b');

describe('the look-ups of a check', () => {
  it.each<[string, PolicyRule[], PolicyRule[], number]>([
    ['nothing', [own], [], 0],
    ['no owner, an empty rule', [], [{ verbs: [] }], 0],
    ['each part of a rule that one owner covers', [own], [own], 4],
    ['a rule that the second owner covers', [testRule('list', ['g'], 'r'), own], [own], 5],
    ['names without resources', [own], [{ verbs: ['get'], apiGroups: ['g'], resourceNames: ['n'] }], 2],
    ['paths, each with the prefixes of the owner', [paths], [testPathRule('get', '/a/b /b')], 5],
    ['a missing verb', [own], [testRule('list', ['g'], 'r')], 6],
    ['a missing group', [own], [testRule('get', ['h'], 'r')], 5],
    ['a missing resource', [own], [testRule('get', ['g'], 'q')], 7],
    ['a missing path', [own, paths], [testPathRule('get', '/c')], 10],
    ['a missing verb of a path', [own, paths], [testPathRule('post', '/b')], 8],
    ['all parts', [own, own], [both], 40],
    ['a rule without names', [own, own], [testRule('get list', ['g', 'h'], 'r q')], 30],
  ])('%s', (_what, owners, granted, lookups) => {
    expect(lookupsOf(owners, granted)).toBe(lookups);
  });
});

describe('the steps of a check', () => {
  it.each<[string, PolicyRule[], PolicyRule[], number]>([
    ['few owners', times(1_023, own), [], 0],
    ['4096 values of owners', times(1_024, own), [], 1],
    ['twice as many', times(2_048, own), [], 2],
    ['owners of paths', times(1_024, paths), [], 1],
    ['owners with names', times(1_024, testRule('get', ['g'], 'r', 'n')), [], 1],
  ])('%s', (_what, owners, granted, steps) => {
    expect(drain(owners, granted).steps).toBe(steps);
  });

  it.each<[string, PolicyRule[], PolicyRule, number]>([
    ['an owner that covers many names', [own], testRule('get', ['g'], 'r', numbered('n', 10_000).join(' ')), 0],
    [
      'an owner that covers many names, but not all',
      [testRule('get', ['g'], 'r', numbered('n', 4_093).join(' '))],
      testRule('get', ['g'], 'r', numbered('n', 4_094).join(' ')),
      4,
    ],
    ['groups', [], { verbs: ['get'], apiGroups: numbered('g', 8_192), resources: [] }, 0],
    ['groups of an owner', [own], { verbs: ['get'], apiGroups: numbered('g', 8_192), resources: [] }, 2],
    ['resources', [], { verbs: [], apiGroups: ['g'], resources: numbered('r', 8_192) }, 2],
    ['verbs', [own], { verbs: numbered('v', 8_192), apiGroups: ['g'], resources: ['r'] }, 4],
    ['names', [own], testRule('list', ['g'], 'r', numbered('n', 8_192).join(' ')), 2],
    ['paths', [paths], { verbs: [], nonResourceURLs: numbered('/p', 8_192) }, 5],
    ['verbs of a path', [paths], { verbs: numbered('v', 8_192), nonResourceURLs: ['/b'] }, 4],
  ])('%s', (_what, owners, rule, steps) => {
    expect(drain(owners, [rule], { lookups: NO_LIMIT, missing: NO_LIMIT }).steps).toBe(steps);
  });

  const lists: readonly [string, PolicyRule[], PolicyRule][] = [
    ['groups', [own], { verbs: ['get'], apiGroups: numbered('g', 9_000), resources: ['r'] }],
    ['resources', [own], { verbs: ['get'], apiGroups: ['g'], resources: numbered('r', 9_000) }],
    ['verbs', [own], { verbs: numbered('v', 9_000), apiGroups: ['g'], resources: ['r'] }],
    ['names', [own], { ...own, verbs: ['list'], resourceNames: numbered('n', 9_000) }],
    ['paths', [paths], { verbs: ['post'], nonResourceURLs: numbered('/p', 9_000) }],
    ['verbs of a path', [paths], { verbs: numbered('v', 9_000), nonResourceURLs: ['/b'] }],
  ];

  it.each(lists)('none after the last look-up: %s', (_what, owners, rule) => {
    const { steps, unchecked } = drain(owners, [rule, own], { lookups: 50, missing: NO_LIMIT });
    expect([steps, unchecked]).toEqual([0, [rule, own]]);
  });

  it('only those that prepare the owners, once the look-ups are spent', () => {
    const { steps, unchecked } = drain(times(5_000, own), [testRule('list', ['g'], 'r')], { lookups: 50, missing: 1 });
    expect([steps, unchecked.length]).toEqual([4, 1]);
  });

  it.each(lists)('no more parts than the limit: %s', (_what, owners, rule) => {
    const { steps, missing, unchecked } = drain(owners, [rule, own], { lookups: NO_LIMIT, missing: 3 });
    expect([steps, missing.length, unchecked]).toEqual([0, 3, [rule, own]]);
  });

  it('checks a rule after one with fewer missing parts than the limit', () => {
    const rules = [testRule('list', ['g'], 'r'), testRule('list watch', ['g'], 'q')];
    const { missing, unchecked } = drain([own], rules, { lookups: NO_LIMIT, missing: 4 });
    expect([missing.length, unchecked]).toEqual([3, []]);
  });
});
