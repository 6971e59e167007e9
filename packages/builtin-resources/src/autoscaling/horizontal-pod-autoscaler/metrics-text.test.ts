import type { MetricSpec, MetricStatus } from '@apiserver/api/autoscaling/v2';
import { expect, it } from 'vitest';
import { metricsText } from './metrics-text.js';

const metric = { name: 'm' };
const object = { metric, describedObject: { kind: 'Service', name: 's' } };
const total = { type: 'Value', value: '10' };
const average = { type: 'AverageValue', averageValue: '2' };

it.each<[string, MetricSpec, MetricStatus | undefined, string]>([
  ['no status', { type: 'External', external: { metric, target: total } }, undefined, '<unknown>/10'],
  [
    'a status of another type',
    { type: 'External', external: { metric, target: total } },
    { type: 'Pods', pods: { metric, current: { averageValue: '1' } } },
    '<unknown>/10',
  ],
  [
    'an external total without a value',
    { type: 'External', external: { metric, target: total } },
    { type: 'External', external: { metric, current: { averageValue: '1' } } },
    '<nil>/10',
  ],
  [
    'an external average without a value',
    { type: 'External', external: { metric, target: average } },
    { type: 'External', external: { metric, current: { value: '1' } } },
    '<unknown>/2 (avg)',
  ],
  [
    'an object without a value',
    { type: 'Object', object: { ...object, target: total } },
    { type: 'Object', object: { ...object, current: {} } },
    '<nil>/10',
  ],
  [
    'pods without a value',
    { type: 'Pods', pods: { metric, target: average } },
    { type: 'Pods', pods: { metric, current: { value: '1' } } },
    '<nil>/2',
  ],
  [
    'a resource without a value',
    { type: 'Resource', resource: { name: 'cpu', target: average } },
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 3 } } },
    'cpu: <nil>/2',
  ],
])('prints %s', (_name, spec, status, text) => {
  expect(metricsText([spec], status === undefined ? [] : [status])).toBe(text);
});
