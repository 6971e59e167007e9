import type { EndpointSubset, Endpoints } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { TEST_FEATURES } from '../../testing/group-dependencies.js';
import { endpoints as endpointsFor } from './index.js';

const context = testContext();
const endpoints = endpointsFor(TEST_FEATURES);
const { strategy } = endpoints;

function made(...subsets: EndpointSubset[]): Endpoints {
  const metadata = { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' };
  return { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets };
}

const at = (...ips: string[]) => ips.map((ip) => ({ ip }));
const HTTP = { port: 80, protocol: 'TCP' };

it.each<[EndpointSubset, string]>([
  [{ addresses: at('10.0.0.1', 'fd00::1'), ports: [HTTP] }, ''],
  [{ notReadyAddresses: [{ ip: '10.0.0.1', hostname: 'h', nodeName: 'n.example.com' }] }, ''],
  [{}, 'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
  [
    { addresses: at('x') },
    '[subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff), subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address]',
  ],
  [
    { notReadyAddresses: at('127.0.0.1') },
    'subsets[0].notReadyAddresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [{ addresses: at('10.0.0.1'), ports: [{ ...HTTP, name: 'a' }, HTTP] }, 'subsets[0].ports[1].name: Required value'],
  [
    { addresses: at('10.0.0.1'), ports: [{ port: 0 }] },
    '[subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, subsets[0].ports[0].protocol: Required value]',
  ],
  [
    { addresses: at('10.0.0.1'), ports: [{ port: 1, protocol: 'x' }] },
    'subsets[0].ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
  ],
])('%j: %j', (subset, message) => {
  expect(aggregateFieldErrors(strategy.validate(context, made(subset)))).toBe(message);
});

it('exempts subsets only if none changed', () => {
  const [odd, other] = [{ addresses: at('127.0.0.1') }, { addresses: at('10.0.0.1') }];
  expect(strategy.validateUpdate(context, made(odd), made(odd))).toEqual([]);
  expect(strategy.validateUpdate(context, made(odd, other), made(odd))).toHaveLength(1);
});

it('accepts existing addresses, with a warning', () => {
  const sloppy = made({ addresses: at('010.0.0.1') });
  expect(strategy.validateUpdate(context, sloppy, sloppy)).toEqual([]);
  expect(strategy.validateUpdate(context, sloppy, made())).toHaveLength(1);
  expect(strategy.warningsOnUpdate?.(context, sloppy, sloppy)).toEqual([
    'subsets[0].addresses[0].ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
  ]);
});

it('keeps the order and form of subsets', () => {
  expect(strategy.canonicalize).toBeUndefined();
});

it('defaults protocols', () => {
  const draft = made({ addresses: at('10.0.0.1'), ports: [{ port: 80 }] });
  endpoints.versions[0]?.applyDefaults?.(draft);
  expect(draft.subsets?.[0]?.ports).toEqual([HTTP]);
});

it('shows the ready addresses with their ports', () => {
  const cell = (...subsets: EndpointSubset[]) => endpoints.columns[1]?.cell(made(...subsets), rowTime(0));
  expect([
    cell(),
    cell({ notReadyAddresses: at('10.0.0.1') }),
    cell({ addresses: at('10.0.0.1') }),
    cell({ addresses: at('10.0.0.1', 'fd00::1'), ports: [HTTP, { port: 81 }] }),
  ]).toEqual(['<none>', '', '10.0.0.1', '10.0.0.1:80,[fd00::1]:80,10.0.0.1:81 + 1 more...']);
});

it('is deprecated', () => {
  expect(endpoints.versions[0]?.deprecated).toEqual({
    since: '1.33',
    replacement: 'discovery.k8s.io/v1 EndpointSlice',
  });
});
