import type { IPAddress, ParentReference } from '@apiserver/api/networking/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { ipAddresses } from './index.js';

const { strategy, columns } = ipAddresses;
const context = testContext({ namespace: '' });

const SERVICE = { resource: 'services', namespace: 'ns', name: 's' };
const address = (name: string, parentRef: ParentReference | undefined): IPAddress => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IPAddress',
  metadata: { name, uid: 'u', resourceVersion: '1' },
  spec: { ...(parentRef && { parentRef }) },
});

const of = (changes: object): ParentReference => ({ ...SERVICE, ...changes });
const canonical = (name: string, form: string) =>
  `metadata.name: Invalid value: "${name}": must be in canonical form ("${form}")`;
const parent = 'spec.parentRef';

it.each<[string, ParentReference | undefined, string]>([
  ['10.0.0.1', SERVICE, ''],
  ['2001:db8::1', of({ group: 'example.com', namespace: '' }), ''],
  ['a', SERVICE, 'metadata.name: Invalid value: "a": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ['10.0.0.01', SERVICE, 'metadata.name: Invalid value: "10.0.0.01": must not have leading 0s'],
  ['2001:DB8::1', SERVICE, canonical('2001:DB8::1', '2001:db8::1')],
  [
    '::ffff:1.2.3.4',
    SERVICE,
    'metadata.name: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
  ],
  ['10.0.0.1', undefined, `${parent}: Required value`],
  ['10.0.0.1', {}, `[${parent}.resource: Required value, ${parent}.name: Required value]`],
  [
    '10.0.0.1',
    of({ resource: 'a/b', name: '..', namespace: '.' }),
    `[${parent}.resource: Invalid value: "a/b": may not contain '/', ${parent}.name: Invalid value: "..": may not be '..', ${parent}.namespace: Invalid value: ".": may not be '.']`,
  ],
])('%s of %j', async (name, parentRef, fault) => {
  expect(aggregateFieldErrors(await strategy.validate(context, address(name, parentRef)))).toBe(fault);
});

it('keeps its parent', async () => {
  const old = address('10.0.0.1', SERVICE);
  const changed = await strategy.validateUpdate(context, address('10.0.0.1', of({ name: 't' })), old);
  expect(aggregateFieldErrors(changed)).toContain(': field is immutable');
  expect(await strategy.validateUpdate(context, structuredClone(old), old)).toEqual([]);
  // Faults stored under older rules cannot be kept.
  const bad = address('10.0.0.1', of({ resource: '' }));
  expect(aggregateFieldErrors(await strategy.validateUpdate(context, bad, structuredClone(bad)))).toContain(
    'Required value',
  );
});

it('is named after the address only', () => {
  expect(strategy.generateName?.('10.0.0.1')).toBe('10.0.0.1');
});

it.each([
  [SERVICE, 'services/ns/s'],
  [of({ group: 'Example.com', namespace: '' }), 'services.example.com/s'],
  [undefined, '<none>'],
])('shows %j as %s', (parentRef, shown) => {
  const declared = columns.filter(({ undeclared }) => !undeclared);
  expect(declared.map(({ cell }) => cell(address('10.0.0.1', parentRef), rowTime(0)))).toEqual(['10.0.0.1', shown]);
});

it('has an undeclared age cell in each row', () => {
  const { metadata, ...rest } = address('10.0.0.1', SERVICE);
  const aged = { ...rest, metadata: { ...metadata, creationTimestamp: '2030-01-01T00:00:00Z' } };
  expect(
    columns.map(({ name, undeclared, cell }) => [name, undeclared, cell(aged, rowTime('2030-01-01T00:05:00Z'))]),
  ).toEqual([
    ['Name', undefined, '10.0.0.1'],
    ['ParentRef', undefined, 'services/ns/s'],
    ['Age', true, '5m'],
  ]);
});
