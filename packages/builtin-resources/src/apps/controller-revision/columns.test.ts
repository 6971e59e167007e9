import type { ControllerRevision } from '@apiserver/api/apps/v1';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { controllerRevisionColumns } from './columns.js';

it.each([
  ['apps/v1', 'DaemonSet', 'daemonset.apps/d'],
  ['v1', 'ReplicationController', 'replicationcontroller/d'],
  ['Example.com/v1', 'Set', 'set.example.com/d'],
  ['apps/v1', '', '.apps/d'],
  ['v1', '', 'd'],
])('shows a controller of %s, %s', (apiVersion, kind, text) => {
  const revision: ControllerRevision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'r', ownerReferences: [{ apiVersion, kind, name: 'd', uid: 'u', controller: true }] },
    revision: 1,
  };
  expect(controllerRevisionColumns[1]?.cell(revision, rowTime(0))).toBe(text);
});

it('shows all digits of a revision', () => {
  const object = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: {}, revision: 2n ** 63n - 1n };
  expect(controllerRevisionColumns[2]?.cell(object, rowTime(0))).toBe(2n ** 63n - 1n);
});
