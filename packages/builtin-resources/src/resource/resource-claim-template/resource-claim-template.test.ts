import type { DeviceClaim, ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import type { ObjectMeta } from '@apiserver/apimachinery';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { TEST_FEATURES } from '../../testing/group-dependencies.js';
import { resourceClaimTemplateDeclaration } from './index.js';

const context = testContext({ namespace: 'ns' });
const { strategy, columns, versions } = resourceClaimTemplateDeclaration(TEST_FEATURES);

function template(devices: DeviceClaim = {}, metadata: ObjectMeta = {}): ResourceClaimTemplate {
  const made: ResourceClaimTemplate = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name: 't', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: { metadata, spec: { devices: structuredClone(devices) } },
  };
  versions[0]?.applyDefaults?.(made);
  return made;
}

const REQUEST = { name: 'r', exactly: { deviceClassName: 'gpu', selectors: [{ cel: { expression: 'true' } }] } };

it.each<[string, ResourceClaimTemplate, string]>([
  ['the smallest', template(), ''],
  ['labels and annotations', template({ requests: [REQUEST] }, { labels: { a: 'b' }, annotations: { a: 'b' } }), ''],
  [
    'a name for claims',
    template({}, { name: 'n', uid: 'u' }),
    '[spec.metadata.name: Forbidden: cannot be set, spec.metadata.uID: Forbidden: cannot be set]',
  ],
  [
    'a request twice',
    template({ requests: [REQUEST, REQUEST] }),
    'spec.spec.devices.requests[1]: Duplicate value: "r"',
  ],
  [
    'a selector with a mistake',
    template({
      requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', selectors: [{ cel: { expression: '1' } }] } }],
    }),
    'spec.spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int',
  ],
])('%s', async (_what, made, message) => {
  await strategy.prepareForCreate?.(context, made);
  expect(aggregateFieldErrors(strategy.validate(context, made))).toBe(message);
});

it('has defaults, and is immutable', () => {
  const made = template({ requests: [REQUEST] });
  expect(made.spec.spec.devices.requests?.[0]?.exactly).toMatchObject({ allocationMode: 'ExactCount', count: 1 });
  expect(strategy.validateUpdate(context, made, made)).toEqual([]);
  const errors = strategy.validateUpdate(context, template(), made);
  expect(aggregateFieldErrors(errors)).toMatch(/^spec: Invalid value: .*: field is immutable$/);
});

it('shows its name and age', () => {
  expect(columns.map((column) => column.cell(template(), rowTime(0)))).toEqual(['t', '<unknown>']);
});
