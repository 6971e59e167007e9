import type { PolicyRule } from '@apiserver/api/rbac/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ruleAllows, ruleAttributes } from '../rule-allows.js';
import { testAttributes, testPathRule, testRule } from '../testing/index.js';
import { findUncovered, uncoveredRules } from './covers.js';

/** The parts of a rule: all that nobody has. */
const breakDownRule = (rule: PolicyRule) => uncoveredRules([], [rule]);

const cases: readonly (readonly [string, PolicyRule[], PolicyRule[], PolicyRule[]])[] = [
  ['the same', [testRule('get', ['g'], 'r')], [testRule('get', ['g'], 'r')], []],
  ['nothing wanted', [], [], []],
  ['less verbs', [testRule('get list', ['g'], 'r')], [testRule('list', ['g'], 'r')], []],
  ['more verbs', [testRule('get', ['g'], 'r')], [testRule('get list', ['g'], 'r')], [testRule('list', ['g'], 'r')]],
  ['spread', [testRule('get', ['g'], 'r'), testRule('list', ['g'], 'r')], [testRule('get list', ['g'], 'r')], []],
  ['another group', [testRule('get', ['g'], 'r')], [testRule('get', ['h'], 'r')], [testRule('get', ['h'], 'r')]],
  ['star verb for some', [testRule('get', ['g'], 'r')], [testRule('*', ['g'], 'r')], [testRule('*', ['g'], 'r')]],
  ['star owns', [testRule('*', ['*'], '*')], [testRule('* get', ['*', 'g'], '* r r/s */s')], []],
  ['subresource of all', [testRule('get', ['g'], '*/s')], [testRule('get', ['g'], 'r/s */s')], []],
  [
    'subresource of all, no resource',
    [testRule('get', ['g'], '*/s')],
    [testRule('get', ['g'], 's')],
    [testRule('get', ['g'], 's')],
  ],
  [
    'a resource is not its subresource',
    [testRule('get', ['g'], 'r')],
    [testRule('get', ['g'], 'r/s')],
    [testRule('get', ['g'], 'r/s')],
  ],
  ['all names own a name', [testRule('get', ['g'], 'r')], [testRule('get', ['g'], 'r', 'n')], []],
  [
    'a name does not own all',
    [testRule('get', ['g'], 'r', 'n')],
    [testRule('get', ['g'], 'r')],
    [testRule('get', ['g'], 'r')],
  ],
  [
    'a name of two',
    [testRule('get', ['g'], 'r', 'n')],
    [testRule('get', ['g'], 'r', 'n m')],
    [testRule('get', ['g'], 'r', 'm')],
  ],
  ['paths', [testPathRule('get', '/a /b/*')], [testPathRule('get', '/a /b/c /b/*')], []],
  ['a longer path', [testPathRule('get', '/a')], [testPathRule('get', '/a/b')], [testPathRule('get', '/a/b')]],
  ['a broader pattern', [testPathRule('get', '/a/*')], [testPathRule('get', '/*')], [testPathRule('get', '/*')]],
  ['all paths', [testPathRule('*', '*')], [testPathRule('get post', '/ *')], []],
  ['resources own no paths', [testRule('*', ['*'], '*')], [testPathRule('get', '/')], [testPathRule('get', '/')]],
  ['paths own no resources', [testPathRule('*', '*')], [testRule('get', ['g'], 'r')], [testRule('get', ['g'], 'r')]],
  [
    'a path rule with names owns no path',
    [{ ...testPathRule('*', '*'), resourceNames: ['n'] }],
    [testPathRule('get', '/')],
    [testPathRule('get', '/')],
  ],
  ['nothing wanted of a group', [testRule('get', ['g'], 'r')], [{ verbs: ['get'], apiGroups: ['g'] }], []],
];

const some = (values: string[], min = 1) => fc.subarray(values, { minLength: min });
const ruleArbitrary: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({
    verbs: some(['get', 'list', '*']),
    apiGroups: some(['', 'g', '*']),
    resources: some(['r', 'r/s', '*/s', 'q', '*']),
    resourceNames: some(['n', 'm'], 0),
  }),
  fc.record({ verbs: some(['get', 'post', '*']), nonResourceURLs: some(['/a', '/a/*', '/a/b', '/c', '*']) }),
);
const rulesArbitrary = fc.array(ruleArbitrary, { maxLength: 4 });

/** Every request that these rules could allow, and a few that they do not. */
const requests = [
  ...['get', 'list', 'watch'].flatMap((verb) =>
    ['', 'g', 'h'].flatMap((apiGroup) =>
      ['r', 'q', 'other'].flatMap((resource) =>
        ['', 's', 't'].flatMap((subresource) =>
          ['', 'n', 'm', 'x'].map((name) => testAttributes({ verb, apiGroup, resource, subresource, name })),
        ),
      ),
    ),
  ),
  ...['get', 'post', 'put'].flatMap((verb) =>
    ['/a', '/a/b', '/a/z', '/c', '/d'].map((path) => testAttributes({ verb, path, isResourceRequest: false })),
  ),
].map(ruleAttributes);

describe('uncoveredRules', () => {
  it.each(cases)('%s', (_name, owners, granted, missing) => {
    expect(uncoveredRules(owners, granted)).toEqual(missing.flatMap((rule) => breakDownRule(rule)));
  });

  it('never lets an owner grant permissions that he lacks', () => {
    fc.assert(
      fc.property(rulesArbitrary, rulesArbitrary, (owners, granted) => {
        fc.pre(uncoveredRules(owners, granted).length === 0);
        for (const request of requests) {
          const allowed = granted.some((rule) => ruleAllows(request, rule));
          if (allowed) expect(owners.some((rule) => ruleAllows(request, rule))).toBe(true);
        }
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 300 },
    );
  });

  it('lists nothing that the owner has: each missing part has a request that the owner is denied', () => {
    const wildcard = /\*/;
    fc.assert(
      fc.property(rulesArbitrary, rulesArbitrary, (owners, granted) => {
        for (const part of uncoveredRules(owners, granted)) {
          // Several rules can cover a wildcard part piecewise; it still counts as missing.
          if (wildcard.test(JSON.stringify(part))) continue;
          const requested = requests.filter((request) => ruleAllows(request, part));
          expect(requested.some((request) => !owners.some((rule) => ruleAllows(request, rule)))).toBe(true);
        }
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 300 },
    );
  });

  it.each<[string, PolicyRule]>([
    ['verbs', { verbs: undefined as never, apiGroups: [''], resources: ['pods'] }],
    ['resources', { verbs: ['get'], apiGroups: [''] }],
    ['groups', { verbs: ['get'], resources: ['pods'] }],
  ])('breaks a rule without %s down into nothing', (_, rule) => expect(breakDownRule(rule)).toEqual([]));

  it('breaks a rule down into equivalent parts', () => {
    fc.assert(
      fc.property(ruleArbitrary, (rule) => {
        const parts = breakDownRule(rule);
        for (const request of requests) {
          expect(parts.some((part) => ruleAllows(request, part))).toBe(ruleAllows(request, rule));
        }
        expect(uncoveredRules(parts, [rule])).toEqual([]);
        expect(uncoveredRules([rule], parts)).toEqual([]);
      }),
    );
  });

  describe('bounds', () => {
    const numbered = (letter: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${letter}${index}`);
    const huge = {
      verbs: numbered('v', 1_000),
      apiGroups: numbered('g', 1_000),
      resources: numbered('r', 1_000),
    };
    const drain = (steps: ReturnType<typeof findUncovered>) => {
      for (let count = 1; ; count++) {
        const step = steps.next();
        if (step.done === true) return { count, ...step.value };
      }
    };

    it('does not break down a rule that one owner covers as a whole', () => {
      const { missing, unchecked } = drain(findUncovered([testRule('*', ['*'], '*')], [huge]));
      expect([missing, unchecked]).toEqual([[], []]);
    });

    it('finds no more missing parts than the limit', () => {
      const small = testRule('get', ['g'], 'r');
      const { missing, unchecked } = drain(findUncovered([], [small, huge, small]));
      expect([missing.length, unchecked]).toEqual([10_000, [huge, small]]);
    });

    it('makes no more look-ups than the limit, in steps, and lists what was not checked', () => {
      const { apiGroups, resources, verbs } = huge;
      const owners = verbs.map((verb) => ({ verbs: [verb], apiGroups, resources }));
      const { count, missing, unchecked } = drain(findUncovered(owners, [huge]));
      expect([missing, unchecked, count > 100, count < 1_000]).toEqual([[], [huge], true, true]);
      expect(uncoveredRules(owners, [huge])).toEqual([huge]);
    });

    it('yields while it prepares large rules of owners, which are no look-ups', () => {
      const owners = Array.from({ length: 1_000 }, () => ({
        verbs: numbered('v', 3_000),
        apiGroups: ['g'],
        resources: ['r'],
      }));
      const { count, missing, unchecked } = drain(findUncovered(owners, [testRule('get v7', ['g'], 'r')]));
      expect([missing, unchecked, count > 500]).toEqual([[testRule('get', ['g'], 'r')], [], true]);
    });

    it.each<[string, PolicyRule]>([
      ['paths', { verbs: ['get'], nonResourceURLs: numbered('/p', 60_000) }],
      ['names', { verbs: ['get'], apiGroups: ['g'], resources: ['r'], resourceNames: numbered('n', 60_000) }],
      ['groups', { verbs: ['get'], apiGroups: numbered('g', 60_000), resources: ['r'] }],
    ])('bounds the look-ups for %s', (_, rule) => {
      const owners = Array.from({ length: 100 }, (_unused, index) => ({
        ...rule,
        verbs: [index % 2 === 0 ? 'get' : 'list'],
        apiGroups: rule.apiGroups && [...rule.apiGroups.slice(0, -1), 'other'],
        resourceNames: rule.resourceNames && [...rule.resourceNames.slice(0, -1), 'other'],
        nonResourceURLs: rule.nonResourceURLs && [...rule.nonResourceURLs.slice(0, -1), '/other'],
      })) as PolicyRule[];
      const { count, unchecked } = drain(findUncovered(owners, [rule]));
      expect([unchecked, count < 1_000]).toEqual([[rule], true]);
    });
  });
});
