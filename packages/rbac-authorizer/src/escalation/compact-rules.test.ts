import type { PolicyRule } from '@apiserver/api/rbac/v1';
import { expect, it } from 'vitest';
import { testPathRule, testRule } from '../testing/index.js';
import { compactRules, formatRule } from './compact-rules.js';

it.each<[string, PolicyRule[], PolicyRule[]]>([
  [
    'verbs of one resource',
    [testRule('get', [''], 'pods'), testRule('list watch', [''], 'pods')],
    [testRule('get list watch', [''], 'pods')],
  ],
  [
    'verbs of one name',
    [testRule('get', [''], 'pods', 'a'), testRule('list', [''], 'pods', 'a')],
    [testRule('get list', [''], 'pods', 'a')],
  ],
  [
    'a name apart from all names',
    [testRule('get', [''], 'pods', 'a'), testRule('list', [''], 'pods')],
    [testRule('get', [''], 'pods', 'a'), testRule('list', [''], 'pods')],
  ],
  [
    'a resource of two groups apart',
    [testRule('get', [''], 'events'), testRule('list', ['events.k8s.io'], 'events')],
    [testRule('get', [''], 'events'), testRule('list', ['events.k8s.io'], 'events')],
  ],
  [
    'several groups, resources or names, first and as they are',
    [
      testRule('get', [''], 'pods'),
      testRule('get', ['', 'g'], 'pods'),
      testRule('get', [''], 'pods secrets'),
      testRule('get', [''], 'pods', 'a b'),
      testRule('list', ['', 'g'], 'pods'),
      testRule('list', [''], 'pods secrets'),
      testRule('list', [''], 'pods', 'a b'),
    ],
    [
      testRule('get', ['', 'g'], 'pods'),
      testRule('get', [''], 'pods secrets'),
      testRule('get', [''], 'pods', 'a b'),
      testRule('list', ['', 'g'], 'pods'),
      testRule('list', [''], 'pods secrets'),
      testRule('list', [''], 'pods', 'a b'),
      testRule('get', [''], 'pods'),
    ],
  ],
  [
    'paths as they are',
    [testPathRule('get', '/a'), testPathRule('post', '/a')],
    [testPathRule('get', '/a'), testPathRule('post', '/a')],
  ],
  [
    'a resource with paths as it is',
    [
      { ...testRule('get', [''], 'pods'), nonResourceURLs: ['/a'] },
      { ...testRule('list', [''], 'pods'), nonResourceURLs: ['/a'] },
    ],
    [
      { ...testRule('get', [''], 'pods'), nonResourceURLs: ['/a'] },
      { ...testRule('list', [''], 'pods'), nonResourceURLs: ['/a'] },
    ],
  ],
  [
    'no verbs with some',
    [
      { apiGroups: [''], resources: ['pods'], verbs: null },
      testRule('get', [''], 'pods'),
      { apiGroups: [''], resources: ['pods'], verbs: null },
    ],
    [testRule('get', [''], 'pods')],
  ],
])('compactRules joins or leaves %s', (_what, rules, compact) => {
  expect(compactRules(rules)).toEqual(compact);
});

it.each<[PolicyRule, string]>([
  [
    testRule('get list', ['', 'g'], 'pods', 'a'),
    '{APIGroups:["" "g"], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
  ],
  [testPathRule('get', '/a /b'), '{NonResourceURLs:["/a" "/b"], Verbs:["get"]}'],
  [{ verbs: null }, '{}'],
])('formatRule: %j', (rule, text) => {
  expect(formatRule(rule)).toBe(text);
});
