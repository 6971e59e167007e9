import { expect, it } from 'vitest';
import { createGroupsDecoder } from './decode-groups.js';

const names = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' };
const items = [{ metadata: { name: 'batch' } }];
const groupsIn = createGroupsDecoder();

it.each([{ ...names, items }, { items }])('returns the groups of %j', (document) => {
  expect(groupsIn(Buffer.from(JSON.stringify(document)))).toEqual(items);
});

it.each([names, { ...names, items: null }, {}, null])('finds no groups in %j', (document) => {
  expect(groupsIn(Buffer.from(JSON.stringify(document)))).toEqual([]);
});

it.each([
  [{ kind: 'APIGroupList', apiVersion: 'v1', groups: [] }, 'no kind "APIGroupList" is registered for version "v1"'],
  [{ ...names, apiVersion: 'apidiscovery.k8s.io/v2beta1', items }, 'version "apidiscovery.k8s.io/v2beta1"'],
  [[], 'cannot unmarshal array'],
])('refuses %j', (document, reason) => {
  expect(() => groupsIn(Buffer.from(JSON.stringify(document)))).toThrow(reason);
});
