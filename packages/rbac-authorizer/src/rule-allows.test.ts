import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { GroupedRoles } from './grouped-roles.js';
import { ruleAllows, ruleAttributes, rulesAllow } from './rule-allows.js';
import { testAttributes, testPathRule, testRule } from './testing/index.js';

const path = (value: string) => ({ isResourceRequest: false, namespace: '', resource: '', name: '', path: value });

const pods = testRule('get list', [''], 'pods');
const named = testRule('get', [''], 'pods', 'p1 p2');
const status = testRule('*', ['*'], '*/status');

const cases: readonly (readonly [string, boolean, ReturnType<typeof testRule>, Partial<AuthorizationAttributes>])[] = [
  ['verb, group and resource', true, pods, {}],
  ['another verb', false, pods, { verb: 'delete' }],
  ['another group', false, pods, { apiGroup: 'apps' }],
  ['another resource', false, pods, { resource: 'secrets' }],
  ['a subresource of the resource', false, pods, { subresource: 'log' }],
  ['all verbs', true, testRule('*', [''], 'pods'), { verb: 'whatever' }],
  ['all groups', true, testRule('get', ['*'], 'pods'), { apiGroup: 'x' }],
  ['all resources', true, testRule('get', [''], '*'), { resource: 'secrets' }],
  ['all resources, a subresource', true, testRule('get', [''], '*'), { subresource: 'log' }],
  ['the subresource', true, testRule('get', [''], 'pods/log'), { subresource: 'log' }],
  ['the subresource, the resource', false, testRule('get', [''], 'pods/log'), {}],
  ['a subresource of all', true, status, { resource: 'nodes', subresource: 'status' }],
  ['a subresource of all, another subresource', false, status, { subresource: 'scale' }],
  ['a subresource of all, no subresource', false, status, {}],
  ['all subresources of a resource are no wildcard', false, testRule('get', [''], 'pods/*'), { subresource: 'log' }],
  ['a subresource of all, by its end only', false, testRule('get', [''], '*/us'), { subresource: 'status' }],
  ['a name', true, named, { name: 'p2' }],
  ['another name', false, named, { name: 'p3' }],
  ['a name, a request without', false, named, { verb: 'get', name: '' }],
  ['a rule without verbs', false, { verbs: null, apiGroups: [''], resources: ['pods'] }, {}],
  ['a path', true, testPathRule('get', '/a'), path('/a')],
  ['a path, one below', false, testPathRule('get', '/a'), path('/a/b')],
  ['a path, another verb', false, testPathRule('get', '/a'), { ...path('/a'), verb: 'post' }],
  ['a beginning', true, testPathRule('get', '/a/*'), path('/a/b/c')],
  ['a beginning, its end cut off', false, testPathRule('get', '/a/*'), path('/a')],
  ['a beginning within a segment', true, testPathRule('get', '/a*'), path('/abc')],
  ['a star in the middle', false, testPathRule('get', '/*/b'), path('/a/b')],
  ['several stars at the end', true, testPathRule('get', '/a**'), path('/abc')],
  ['several stars at the end, another beginning', false, testPathRule('get', '/a**'), path('/b')],
  ['a star within and at the end', true, testPathRule('get', '/a*b*'), path('/a*bc')],
  ['a star within and at the end, another path', false, testPathRule('get', '/a*b*'), path('/aab')],
  ['only stars', true, testPathRule('get', '**'), path('/a')],
  ['all paths', true, testPathRule('*', '*'), path('/')],
  ['a path rule, a resource', false, testPathRule('*', '*'), {}],
  ['a resource rule, a path', false, testRule('*', ['*'], '*'), path('/a')],
];

describe('ruleAllows', () => {
  it.each(cases)('%s: %s', (_name, allowed, rule, changes) => {
    expect(ruleAllows(ruleAttributes(testAttributes(changes)), rule)).toBe(allowed);
  });
});

it('one of several rules allows a request', () => {
  const secrets = testRule('get', [''], 'secrets');
  expect([[secrets, pods], [pods, secrets], [secrets], []].map((rules) => rulesAllow(testAttributes(), rules))).toEqual(
    [...[true, true, false, false]],
  );
});

describe('GroupedRoles', () => {
  const others = Array.from({ length: 5 }, (_, i) => testRule('*', [`other${i}`, 'second'], '*'));

  it.each(cases)('judges among many rules, %s: %s', (_name, allowed, rule, changes) => {
    const request = ruleAttributes(testAttributes(changes));
    const roles = new GroupedRoles();
    const outcomes = [[...others, rule], [rule, ...others], others].map((rules) => roles.allows(request, rules));
    expect(outcomes).toEqual([allowed, allowed, false]);
  });

  it('does not group the rules of very many groups, and judges by them all the same', () => {
    let reads = 0;
    const get = (list: string[], index: string) => {
      reads++;
      return Reflect.get(list, index);
    };
    const names = Array.from({ length: 100_000 }, (_, i) => `group${i}`);
    const rules = [...others, testRule('get', new Proxy(names, { get }), 'pods')];
    const roles = new GroupedRoles();
    const judge = (apiGroup: string) => roles.allows(ruleAttributes(testAttributes({ apiGroup })), rules);
    expect(judge('group0')).toBe(true);
    expect(reads).toBeLessThan(5_000);
    expect(['group0', 'group99999', 'none'].map(judge)).toEqual([true, true, false]);
  });

  it('looks once at a rule that names its group many times', () => {
    let looks = 0;
    const many = testRule('get', new Array<string>(1000).fill(''), 'secrets');
    const countLook = () => {
      looks++;
      return ['get'];
    };
    const counted = Object.defineProperty(many, 'verbs', { get: countLook });
    const allowed = new GroupedRoles().allows(ruleAttributes(testAttributes()), [...others, counted]);
    expect([allowed, looks]).toEqual([false, 1]);
  });
});
