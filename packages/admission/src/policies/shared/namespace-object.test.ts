import { expect, test } from 'vitest';
import { namespaceObject } from './namespace-object.js';

test('a namespace has no kind, owners and field managers in expressions', () => {
  const metadata = {
    name: 'a',
    generateName: 'b',
    namespace: 'c',
    uid: 'd',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: 't',
    deletionTimestamp: 'u',
    deletionGracePeriodSeconds: 3,
    labels: { l: '1' },
    annotations: { m: '2' },
    finalizers: ['f'],
  };
  const others = { selfLink: 's', ownerReferences: [], managedFields: [] };
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { ...metadata, ...others } };
  expect([
    namespaceObject(object),
    namespaceObject({ ...object, spec: { finalizers: ['x'] }, status: { phase: 'Active' } }),
  ]).toEqual([
    { metadata, spec: {}, status: {} },
    { metadata, spec: { finalizers: ['x'] }, status: { phase: 'Active' } },
  ]);
});
