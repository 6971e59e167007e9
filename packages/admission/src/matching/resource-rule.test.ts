import { expect, test } from 'vitest';
import { isExemptKind } from './exempt-kinds.js';
import { type ResourceRule, ruleMatches } from './resource-rule.js';

const POD_STATUS = {
  operation: 'UPDATE',
  subresource: 'status',
  namespace: 'ns',
  name: 'p',
} as const;
const PODS = { group: '', version: 'v1', resource: 'pods' };
const NAMESPACES = { ...PODS, resource: 'namespaces' };
const all: ResourceRule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };

test.each<[string, ResourceRule, boolean]>([
  ['everything', all, true],
  ['no subresource', { ...all, resources: ['*'] }, false],
  ['the resource without its subresources', { ...all, resources: ['pods'] }, false],
  ['the subresource', { ...all, resources: ['pods/status'] }, true],
  ['all subresources', { ...all, resources: ['pods/*'] }, true],
  ['a subresource of all resources', { ...all, resources: ['*/status'] }, true],
  ['another subresource', { ...all, resources: ['pods/scale', 'nodes/*'] }, false],
  ['one of several', { ...all, resources: ['nodes', 'pods/status'] }, true],
  ['another operation', { ...all, operations: ['CREATE'] }, false],
  ['one of several operations', { ...all, operations: ['CREATE', 'UPDATE'] }, true],
  ['another group', { ...all, apiGroups: ['apps'] }, false],
  ['its group', { ...all, apiGroups: ['apps', ''] }, true],
  ['another version', { ...all, apiVersions: ['v2'] }, false],
  ['every scope', { ...all, scope: '*' }, true],
  ['its scope', { ...all, scope: 'Namespaced' }, true],
  ['another scope', { ...all, scope: 'Cluster' }, false],
  ['an unknown scope', { ...all, scope: 'Galaxy' }, false],
  ['its name', { ...all, resourceNames: ['x', 'p'] }, true],
  ['another name', { ...all, resourceNames: ['x'] }, false],
  ['all names', { ...all, resourceNames: [] }, true],
  ['nothing', {}, false],
])('a rule for %s', (_, rule, expected) => {
  expect(ruleMatches(rule, POD_STATUS, PODS)).toBe(expected);
});

test('a namespace is cluster-scoped, although its requests name a namespace', () => {
  const request = { ...POD_STATUS, subresource: '' };
  const scopes = ['Cluster', 'Namespaced'].map((scope) =>
    [NAMESPACES, { ...NAMESPACES, group: 'example.com' }].map((resource) =>
      ruleMatches({ ...all, scope }, request, resource),
    ),
  );
  expect(scopes).toEqual([
    [true, false],
    [false, true],
  ]);
});

test('an object without a namespace is cluster-scoped', () => {
  const matches = ['Cluster', 'Namespaced'].map((scope) =>
    ruleMatches({ ...all, scope }, { ...POD_STATUS, namespace: '' }, { ...PODS, resource: 'nodes' }),
  );
  expect(matches).toEqual([true, false]);
});

test('the kinds that configure admission are exempt', () => {
  const group = 'admissionregistration.k8s.io';
  const kinds = ['MutatingWebhookConfiguration', 'ValidatingAdmissionPolicyBinding', 'Other'];
  expect(kinds.map((kind) => isExemptKind({ group, kind }))).toEqual([true, true, false]);
  expect(isExemptKind({ group: 'example.com', kind: 'MutatingWebhookConfiguration' })).toBe(false);
});
