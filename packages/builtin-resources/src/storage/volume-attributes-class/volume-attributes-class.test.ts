import type { VolumeAttributesClass } from '@apiserver/api/storage/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { volumeAttributesClasses } from './index.js';

const context = testContext({ namespace: '' });

function attributesClass(fields: Partial<VolumeAttributesClass> = {}): VolumeAttributesClass {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
    driverName: 'example.com',
    parameters: { iops: '100' },
    ...fields,
  };
}

it.each<[string, Partial<VolumeAttributesClass>, string]>([
  ['the smallest', {}, ''],
  ['no driver', { driverName: '' }, 'driverName: Required value'],
  ['no parameters', { parameters: {} }, 'parameters: Required value: must contain at least one key/value pair'],
  ['a parameter without a name', { parameters: { '': 'x' } }, 'parameters: Invalid value: "": field can not be empty.'],
])('%s', (_what, fields, message) => {
  const errors = volumeAttributesClasses.strategy.validate(context, attributesClass(fields));
  expect(aggregateFieldErrors(errors)).toBe(message);
});

it.each<[Partial<VolumeAttributesClass>, string]>([
  [{ metadata: { name: 'a', uid: 'u', resourceVersion: '1', labels: { a: 'b' } } }, ''],
  [{ driverName: 'other' }, 'driverName: Forbidden: updates to driverName are forbidden.'],
  [{ parameters: { iops: '200' } }, 'parameters: Forbidden: updates to parameters are forbidden.'],
])('changed by %j: %j', (fields, message) => {
  const errors = volumeAttributesClasses.strategy.validateUpdate(context, attributesClass(fields), attributesClass());
  expect(aggregateFieldErrors(errors)).toBe(message);
});

it('refuses a changed class for the change first, and for each fault once', () => {
  const { strategy } = volumeAttributesClasses;
  const errors = strategy.validateUpdate(context, attributesClass({ driverName: '' }), attributesClass());
  expect(errors.map(({ type, field }) => [type, field])).toEqual([
    ['FieldValueForbidden', 'driverName'],
    ['FieldValueRequired', 'driverName'],
  ]);
});

it('shows the driver', () => {
  const now = rowTime('2030-01-01T00:01:00Z');
  const cells = volumeAttributesClasses.columns.map((column) => column.cell(attributesClass(), now));
  expect(cells).toEqual(['a', 'example.com', '<unknown>']);
  const usual = attributesClass();
  usual.metadata.annotations = { 'volumeattributesclass.alpha.kubernetes.io/is-default-class': 'true' };
  expect(volumeAttributesClasses.columns[0]?.cell(usual, now)).toBe('a (default)');
});
