import { PodCertificateRequestSpec } from '@apiserver/api/certificates/v1beta1';
import { NodeSelector } from '@apiserver/api/core/v1';
import { ResourceClaimSpec } from '@apiserver/api/resource/v1';
import { FieldPath, fieldErrorMessage } from '@apiserver/apimachinery/field';
import type { Schema } from '@apiserver/apimachinery/schema';
import { expect, it } from 'vitest';
import { validateImmutableValue } from './immutable-value.js';

const claim = (memory: string) => ({
  devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c', capacity: { requests: { memory } } } }] },
});
const labels = (value: string) => ({ nodeSelectorTerms: [{ matchExpressions: [{ key: value, operator: 'Exists' }] }] });

function faults(schema: Schema, value: unknown, old: unknown): readonly string[] {
  return validateImmutableValue(schema, value, old, FieldPath.of('spec')).map(fieldErrorMessage);
}

it.each<[string, Schema, unknown, unknown]>([
  ['an amount in another notation', ResourceClaimSpec, claim('1Ki'), claim('1024')],
  ['no requests instead of an empty list', ResourceClaimSpec, { devices: {} }, { devices: { requests: [] } }],
  ['no terms instead of an empty list', NodeSelector, { nodeSelectorTerms: null }, { nodeSelectorTerms: [] }],
  ['no bytes instead of an empty text', PodCertificateRequestSpec, { pkixPublicKey: null }, { pkixPublicKey: '' }],
  ['no keys instead of an empty map', PodCertificateRequestSpec, notes(undefined), notes({})],
])('%s is no change', (_what, schema, value, old) => {
  expect(faults(schema, value, old)).toEqual([]);
});

it.each<[string, Schema, unknown, unknown]>([
  ['another amount', ResourceClaimSpec, claim('1Ki'), claim('1k')],
  ['no request instead of one', ResourceClaimSpec, { devices: {} }, claim('1')],
  ['another term', NodeSelector, labels('a'), labels('b')],
  ['bytes instead of an empty text', PodCertificateRequestSpec, { pkixPublicKey: 'eA==' }, { pkixPublicKey: '' }],
  ['another key', PodCertificateRequestSpec, notes({ a: 'x' }), notes({ b: 'x' })],
  ['more keys', PodCertificateRequestSpec, notes({ a: 'x', b: 'x' }), notes({ a: 'x' })],
])('%s is a change', (_what, schema, value, old) => {
  expect(faults(schema, value, old)).toEqual([
    expect.stringMatching(/^spec: Invalid value: \{.*\}: field is immutable$/),
  ]);
});

function notes(unverifiedUserAnnotations: Readonly<Record<string, string>> | undefined) {
  return { signerName: 's', ...(unverifiedUserAnnotations && { unverifiedUserAnnotations }) };
}
