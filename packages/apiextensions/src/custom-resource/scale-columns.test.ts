import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { scaleColumns } from './columns.js';

const now = rowTime('2026-01-02T00:00:00Z');
const scale = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {},
  status: { replicas: 2 },
};

it('shows the desired and current replicas of a scale', () => {
  const columns = scaleColumns({ specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' });
  expect(columns.map(({ name, type, cell }) => [name, type, cell(scale, now)])).toEqual([
    ['Name', 'string', 'a'],
    ['Desired', 'integer', null],
    ['Available', 'integer', 2],
    ['Age', 'date', '24h'],
  ]);
});
