import { PodCertificateRequestSpec } from '@apiserver/api/certificates/v1beta1';
import { PodSpec } from '@apiserver/api/core/v1';
import { FlowSchemaSpec } from '@apiserver/api/flowcontrol/v1';
import { DeviceClassSpec } from '@apiserver/api/resource/v1';
import type { Schema } from '@apiserver/apimachinery/schema';
import { expect, it } from 'vitest';
import { equalSemantically } from './equal-semantically.js';

const sized = (memory: string) => ({ containers: [{ name: 'c', resources: { limits: { memory } } }] });
const ruled = (namespaces: unknown) => ({ rules: [{ resourceRules: [{ namespaces }] }] });
const configured = (parameters: unknown) => ({ config: [{ opaque: { driver: 'd', parameters } }] });

const compared = (a: object, b: object, schema: Schema) => [
  equalSemantically(a, b, schema),
  equalSemantically(b, a, schema),
];

// Both tables are as k8s.io/apimachinery 0.36.6 finds for the same values.
it.each<[string, Schema, object, object]>([
  ['amounts in two notations', PodSpec, sized('1Gi'), sized('1073741824')],
  ['an empty list and none', PodSpec, { containers: [], tolerations: [] }, { containers: [] }],
  ['an empty list and null', FlowSchemaSpec, ruled([]), ruled(null)],
  ['an empty map and none', PodSpec, { nodeSelector: {} }, {}],
  ['empty bytes and none', PodCertificateRequestSpec, { proofOfPossession: '' }, { proofOfPossession: null }],
])('%s are equal', (_, schema, a, b) => {
  expect(compared(a, b, schema)).toEqual([true, true]);
});

it.each<[string, Schema, object, object]>([
  ['two amounts', PodSpec, sized('1Gi'), sized('1G')],
  ['a list and null', FlowSchemaSpec, ruled(['a']), ruled(null)],
  ['two keys', PodSpec, { nodeSelector: { a: '' } }, { nodeSelector: { b: '' } }],
  ['an empty text behind a pointer and none', PodSpec, { runtimeClassName: '' }, {}],
  ['an empty struct behind a pointer and none', PodSpec, { affinity: {} }, {}],
  ['an empty list in any JSON and none', DeviceClassSpec, configured({ a: [] }), configured({})],
])('%s differ', (_, schema, a, b) => {
  expect(compared(a, b, schema)).toEqual([false, false]);
});

it('compares 10,000 amounts by value', () => {
  const all = (count: number, memory: string) => ({
    containers: [{ resources: { limits: Object.fromEntries(Array.from({ length: count }, (_, i) => [i, memory])) } }],
  });
  const equals = (count: number) => equalSemantically(all(count, '1Gi'), all(count, '1073741824'), PodSpec);
  expect([equals(10_000), equals(10_001)]).toEqual([true, false]);
});
