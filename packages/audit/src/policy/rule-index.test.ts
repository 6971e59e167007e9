import { expect, it } from 'vitest';
import type { AuditAttributes } from './audit-attributes.js';
import type { PolicyRule } from './audit-policy.js';
import { newPolicyEvaluator } from './policy-evaluator.js';
import { RuleIndex } from './rule-index.js';

const RULES = 3_000;
const request: AuditAttributes = {
  user: { name: 'u7', groups: ['g7', 'g8'], extra: {} },
  ...{ verb: 'get', readOnly: true, isResourceRequest: true, path: '/x', namespace: 'n7', name: 'a' },
  ...{ apiGroup: 'apps', apiVersion: 'v1', resource: 'r7', subresource: '' },
};
const path: AuditAttributes = { ...request, isResourceRequest: false, namespace: '', resource: '', path: '/p/7/x' };

it.each<[string, (i: number) => Omit<PolicyRule, 'level'>, AuditAttributes]>([
  ['users', (i) => ({ users: [`u${i}`], verbs: ['get'] }), request],
  ['groups', (i) => ({ userGroups: [`g${i}`], users: ['u7'] }), request],
  ['namespaces', (i) => ({ namespaces: [`n${i}`], resources: [{ group: '*' }] }), request],
  ['resources', (i) => ({ resources: [{ group: 'apps', resources: [`r${i}`] }], verbs: ['get'] }), request],
  ['groups of APIs', (i) => ({ resources: [{ group: i === 7 ? 'apps' : `g${i}` }] }), request],
  ['subresources', (i) => ({ resources: [{ group: '*', resources: [`*/s${i}`] }] }), { ...request, subresource: 's7' }],
  ['paths', (i) => ({ nonResourceURLs: [`/p/${i}/x`], verbs: ['get'] }), path],
  ['beginnings of paths', (i) => ({ nonResourceURLs: [`/p/${i}/*`], userGroups: ['g7'] }), path],
])('looks at few of many rules that differ in their %s', (_, rule, attributes) => {
  const rules = Array.from({ length: RULES }, (_unused, i) => ({ level: 'Metadata' as const, ...rule(i) }));
  const looked: number[] = [];
  const index = new RuleIndex(rules, (number) => {
    looked.push(number);
    return number === 7;
  });
  expect([index.first(attributes), looked]).toEqual([7, [7]]);
});

/** Numbers from 0 to `bound`, the same in each run. */
function drawing(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % bound;
  };
}

it('finds the same rule as one after another', () => {
  const draw = drawing(20_261_130);
  const some = (values: readonly string[], most = 3) =>
    Array.from({ length: draw(most + 1) }, () => values[draw(values.length)] ?? '');
  const one = (values: readonly string[]) => values[draw(values.length)] ?? '';
  const [users, groups, verbs, namespaces] = ['u', 'g', 'v', 'n'].map((name) => [`${name}0`, `${name}1`, `${name}2`]);
  const apiGroups = ['', 'apps', '*', 'x.y'];
  const patterns = ['pods', 'jobs', '*', 'pods/*', '*/log', 'pods/log', 'jobs/scale', '*/*', '/'];
  const paths = ['/', '*', '/a', '/a/*', '/a/b', '/b*', '/a*', '/ab'];
  const rule = (): PolicyRule => {
    const common = { level: 'Metadata' as const, users: some(users ?? [], 1), userGroups: some(groups ?? [], 1) };
    const about = draw(4);
    const resources = () => ({ group: one(apiGroups), resources: some(patterns), resourceNames: some(['a'], 1) });
    return {
      ...common,
      verbs: some(verbs ?? [], 1),
      ...(about === 0 && { nonResourceURLs: some(paths) }),
      ...(about === 1 && { namespaces: some([...(namespaces ?? []), '']) }),
      ...(about > 1 && {
        resources: Array.from({ length: draw(3) }, resources),
        namespaces: some(namespaces ?? [], 1),
      }),
    };
  };
  for (let round = 0; round < 60; round++) {
    const rules = Array.from({ length: 25 + draw(40) }, rule);
    const single = rules.map((each) => newPolicyEvaluator({ rules: [each] }));
    const index = new RuleIndex(rules, (number, asked) => single[number]?.(asked).level === 'Metadata');
    for (let i = 0; i < 40; i++) {
      const isResourceRequest = draw(3) > 0;
      const attributes: AuditAttributes = {
        ...request,
        user: draw(9) === 0 ? undefined : { name: one(users ?? []), groups: some(groups ?? []), extra: {} },
        verb: one(verbs ?? []),
        isResourceRequest,
        ...(isResourceRequest
          ? {
              apiGroup: one(['', 'apps', 'z']),
              resource: one(['pods', 'jobs']),
              subresource: one(['', 'log', 'scale']),
            }
          : { apiGroup: '', resource: '', subresource: '' }),
        namespace: isResourceRequest ? one([...(namespaces ?? []), '']) : '',
        name: one(['a', 'b']),
        path: one(['/', '/a', '/a/b', '/b/c', '/abc', '/c']),
      };
      const first = single.findIndex((alone) => alone(attributes).level === 'Metadata');
      expect(index.first(attributes), JSON.stringify({ attributes, rules })).toBe(first < 0 ? undefined : first);
    }
  }
});
