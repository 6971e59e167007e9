import type { ConfigMap } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { configMaps } from './index.js';

function configMap(fields: Partial<ConfigMap> = {}): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    ...fields,
  };
}

const KEY_FAULT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

describe('validation', () => {
  const MIB = 1024 * 1024;

  it.each<[string, Partial<ConfigMap>, string]>([
    ['nothing in it', {}, ''],
    ['data of exactly 1 MiB', { data: { a: 'x'.repeat(MIB) } }, ''],
    ['more than 1 MiB', { data: { a: 'x'.repeat(MIB), b: 'y' } }, '[]: Too long: may not be more than 1048576 bytes'],
    [
      'more than 1 MiB in bytes, not in characters',
      { data: { a: 'ü'.repeat(MIB / 2 + 1) } },
      '[]: Too long: may not be more than 1048576 bytes',
    ],
    [
      'more than 1 MiB with the binary values, decoded',
      { data: { a: 'x' }, binaryData: { b: Buffer.alloc(MIB).toString('base64') } },
      '[]: Too long: may not be more than 1048576 bytes',
    ],
    ['binary data of exactly 1 MiB', { binaryData: { b: Buffer.alloc(MIB).toString('base64') } }, ''],
    ['a bad key', { data: { 'a b': '' } }, `data[a b]: Invalid value: "a b": ${KEY_FAULT}`],
    ['a bad binary key', { binaryData: { 'a/b': '' } }, `binaryData[a/b]: Invalid value: "a/b": ${KEY_FAULT}`],
    [
      'a key twice',
      { data: { k: 'v' }, binaryData: { k: 'AA==' } },
      'data[k]: Invalid value: "k": duplicate of key present in binaryData',
    ],
    [
      'a finalizer without a domain',
      { metadata: { name: 'a', namespace: 'ns', finalizers: ['unqualified'] } },
      'metadata.finalizers[0]: Invalid value: "unqualified": name is neither a standard finalizer name nor is it fully qualified',
    ],
  ])('%s', (_what, fields, message) => {
    const errors = configMaps.strategy.validate(testContext(), configMap(fields));
    expect(aggregateFieldErrors(errors)).toBe(message);
  });

  it.each<[string, Partial<ConfigMap>, string]>([
    ['nothing changed', { immutable: true, data: { k: 'v' } }, ''],
    [
      'labels changed',
      {
        immutable: true,
        data: { k: 'v' },
        metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1', labels: { a: 'b' } },
      },
      '',
    ],
    ['made mutable', { data: { k: 'v' } }, 'immutable: Forbidden: field is immutable when `immutable` is set'],
    [
      'data and binaryData changed',
      { immutable: true, data: { k: 'w' }, binaryData: { b: 'AA==' } },
      '[data: Forbidden: field is immutable when `immutable` is set, binaryData: Forbidden: field is immutable when `immutable` is set]',
    ],
  ])('an immutable one, %s', (_what, fields, message) => {
    const old = configMap({ immutable: true, data: { k: 'v' } });
    const errors = configMaps.strategy.validateUpdate(testContext(), configMap(fields), old);
    expect(aggregateFieldErrors(errors)).toBe(message);
  });
});

it('shows the number of values', () => {
  const cells = (object: ConfigMap) =>
    configMaps.columns.map((column) => column.cell(object, rowTime('2030-01-01T00:01:00Z')));
  const shown = configMap({
    metadata: { name: 'a', creationTimestamp: '2030-01-01T00:00:00Z' },
    data: { a: '', b: '' },
    binaryData: { c: '' },
  });
  expect(cells(shown)).toEqual(['a', 3, '60s']);
  expect(cells(configMap())).toEqual(['a', 0, '<unknown>']);
});
