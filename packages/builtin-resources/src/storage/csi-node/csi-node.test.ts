import type { CSINode, CSINodeDriver } from '@apiserver/api/storage/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { csiNodes } from './index.js';

const context = testContext({ namespace: '' });

function csiNode(...drivers: Partial<CSINodeDriver>[]): CSINode {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
    spec: { drivers: drivers.map((driver) => ({ name: 'd.example.com', nodeID: 'n', topologyKeys: null, ...driver })) },
  };
}

const DRIVER = 'spec.drivers[0]';

it.each<[string, CSINode, string]>([
  ['no drivers', csiNode(), ''],
  ['one with everything', csiNode({ topologyKeys: ['example.com/zone'], allocatable: { count: 0 } }), ''],
  ['no limit', csiNode({ allocatable: {} }), ''],
  ['no node ID', csiNode({ nodeID: '' }), `${DRIVER}.nodeID: Required value`],
  ['the longest node ID', csiNode({ nodeID: 'é'.repeat(128) }), ''],
  [
    'too long a node ID',
    csiNode({ nodeID: 'x'.repeat(257) }),
    `${DRIVER}.nodeID: Invalid value: "${'x'.repeat(257)}": must be 256 characters or less`,
  ],
  [
    'a limit below zero',
    csiNode({ allocatable: { count: -1 } }),
    `${DRIVER}.allocatable.count: Invalid value: -1: must be greater than or equal to 0`,
  ],
  ['a driver twice', csiNode({}, {}), 'spec.drivers[1].name: Duplicate value: "d.example.com"'],
  ['a key twice', csiNode({ topologyKeys: ['zone', 'zone'] }), `${DRIVER}: Duplicate value: "zone"`],
])('%s', (_what, node, message) => {
  expect(aggregateFieldErrors(csiNodes.strategy.validate(context, node))).toBe(message);
});

it('reports the faults of a topology key at its driver', () => {
  const errors = csiNodes.strategy.validate(context, csiNode({ topologyKeys: [''] }));
  expect(aggregateFieldErrors(errors)).toContain(`${DRIVER}: Required value, ${DRIVER}: Invalid value: ""`);
});

it.each<[string, CSINode, CSINode, string]>([
  ['another limit', csiNode({ allocatable: { count: 1 } }), csiNode({ allocatable: { count: 2 } }), ''],
  ['a driver more', csiNode(), csiNode({}), ''],
  ['a driver less', csiNode({}), csiNode(), ''],
  ['an empty list of keys', csiNode({}), csiNode({ topologyKeys: [] }), ''],
  [
    'another node ID',
    csiNode({}),
    csiNode({ nodeID: 'other', allocatable: { count: 1 } }),
    'spec.drivers: Invalid value: {"Name":"d.example.com","NodeID":"other","TopologyKeys":null,"Allocatable":null}: field is immutable',
  ],
])('updated by %s', (_what, old, node, message) => {
  expect(aggregateFieldErrors(csiNodes.strategy.validateUpdate(context, node, old))).toBe(message);
});

it('shows the number of drivers', () => {
  const now = rowTime('2030-01-01T00:01:00Z');
  expect(csiNodes.columns.map((column) => column.cell(csiNode({}), now))).toEqual(['a', 1, '<unknown>']);
});
