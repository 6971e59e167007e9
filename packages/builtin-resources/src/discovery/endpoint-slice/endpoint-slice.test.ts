import type { Endpoint, EndpointPort, EndpointSlice } from '@apiserver/api/discovery/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { TEST_FEATURES } from '../../testing/group-dependencies.js';
import { endpointSlices as endpointSlicesFor } from './index.js';

const context = testContext();
const endpointSlices = endpointSlicesFor(TEST_FEATURES);
const { strategy } = endpointSlices;

function slice(fields: Partial<EndpointSlice> = {}): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'a', namespace: 'ns', generation: 2 },
    addressType: 'IPv4',
    endpoints: null,
    ports: null,
    ...fields,
  };
}

const endpoint = (fields: Partial<Endpoint> = {}): Endpoint => ({ addresses: ['10.0.0.1'], conditions: {}, ...fields });
const message = (fields: Partial<EndpointSlice>) => aggregateFieldErrors(strategy.validate(context, slice(fields)));

it.each<[string, string, string]>([
  ['IPv4', '10.0.0.1', ''],
  ['IPv6', 'fd00::1', ''],
  ['IPv6', 'FD00::1', 'must be in canonical form ("fd00::1")'],
  ['FQDN', 'a.example.com.', ''],
  ['IPv4', '127.0.0.1', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ['IPv4', '010.0.0.1', 'must not have leading 0s'],
  ['FQDN', 'example', 'should be a domain with at least two segments separated by dots'],
])('%s address %s: %s', (addressType, address, fault) => {
  const expected = fault === '' ? '' : `endpoints[0].addresses[0]: Invalid value: "${address}": ${fault}`;
  expect(message({ addressType, endpoints: [endpoint({ addresses: [address] })] })).toBe(expected);
});

it.each<[Partial<EndpointSlice>, string]>([
  [
    { endpoints: [endpoint({ addresses: ['fd00::1'] })] },
    'endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address',
  ],
  [
    { addressType: 'IPv6', endpoints: [endpoint({ addresses: ['10.0.0.1'] })] },
    'endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address',
  ],
  [
    { endpoints: [endpoint({ addresses: ['x'] })], ports: [{ name: 'a' }] },
    '[ports[0].protocol: Required value, endpoints[0].addresses[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)]',
  ],
  [
    {
      endpoints: [
        endpoint({
          hints: { forZones: Array.from({ length: 9 }, (_, i) => ({ name: `${i}` })), forNodes: [{ name: '-' }] },
        }),
      ],
    },
    'endpoints[0].hints.forZones: Too many: 9: must have at most 8 items',
  ],
  [{ addressType: '' }, 'addressType: Required value'],
  [{ addressType: 'IP' }, 'addressType: Unsupported value: "IP": supported values: "FQDN", "IPv4", "IPv6"'],
  [
    { endpoints: [endpoint({ addresses: null })] },
    'endpoints[0].addresses: Required value: must contain at least 1 address',
  ],
  [
    { endpoints: [endpoint({ addresses: Array.from({ length: 101 }, (_, i) => `10.0.0.${i + 1}`) })] },
    'endpoints[0].addresses: Too many: 101: must have at most 100 items',
  ],
  [
    { endpoints: Array.from({ length: 1001 }, () => endpoint()) },
    'endpoints: Too many: 1001: must have at most 1000 items',
  ],
  [
    { endpoints: [endpoint({ hints: { forZones: [{ name: 'z' }, { name: 'z' }] } })] },
    'endpoints[0].hints.forZones[1].name: Duplicate value: "z"',
  ],
  [
    { endpoints: [endpoint({ hints: { forZones: Array.from({ length: 9 }, (_, i) => ({ name: `${i}` })) } })] },
    'endpoints[0].hints.forZones: Too many: 9: must have at most 8 items',
  ],
])('%#: %j', (fields, expected) => {
  expect(message(fields)).toBe(expected);
});

it.each<[EndpointPort[], string]>([
  [
    [
      { name: '', protocol: 'TCP' },
      { name: 'a', protocol: 'UDP', appProtocol: 'example.com/p' },
    ],
    '',
  ],
  [
    [
      { name: 'a', protocol: 'TCP' },
      { name: 'a', protocol: 'TCP' },
    ],
    'ports[1].name: Duplicate value: "a"',
  ],
  [[{ name: 'a' }], 'ports[0].protocol: Required value'],
  [[{ protocol: 'x' }], 'ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"'],
])('ports %j: %j', (ports, expected) => {
  expect(message({ ports })).toBe(expected);
});

describe('update', () => {
  const sloppy = slice({ endpoints: [endpoint({ addresses: ['010.0.0.1'] })] });

  it('keeps the address type, and accepts endpoints that do not change', () => {
    expect(strategy.validateUpdate(context, sloppy, sloppy)).toEqual([]);
    const more = slice({ endpoints: [endpoint({ addresses: ['010.0.0.1'] }), endpoint()] });
    expect(aggregateFieldErrors(strategy.validateUpdate(context, more, sloppy))).toBe(
      'endpoints[0].addresses[0]: Invalid value: "010.0.0.1": must not have leading 0s',
    );
    const changed = slice({ addressType: 'IPv6' });
    expect(aggregateFieldErrors(strategy.validateUpdate(context, changed, slice()))).toBe(
      'addressType: Invalid value: "IPv6": field is immutable',
    );
  });

  it.each<[string, (draft: EndpointSlice) => void, number]>([
    ['nothing', () => {}, 2],
    ['null to empty lists', (draft) => Object.assign(draft, { endpoints: [], ports: [] }), 2],
    ['an annotation', ({ metadata }) => Object.assign(metadata, { annotations: { a: 'b' } }), 2],
    ['a label', ({ metadata }) => Object.assign(metadata, { labels: { a: 'b' } }), 3],
    ['an endpoint', (draft) => Object.assign(draft, { endpoints: [endpoint()] }), 3],
  ])('increments the generation for a change of %s', async (_what, change, generation) => {
    const draft = slice();
    change(draft);
    await strategy.prepareForUpdate?.(context, draft, slice());
    expect(draft.metadata.generation).toBe(generation);
  });

  it('moves node names from the stored label to the field, and drops the labels', async () => {
    const labelled = (node: string) => endpoint({ deprecatedTopology: { 'kubernetes.io/hostname': node } });
    const draft = slice({ endpoints: [labelled('n1'), labelled('n2')] });
    await strategy.prepareForUpdate?.(context, draft, slice({ endpoints: [labelled('n1')] }));
    expect(draft.endpoints).toEqual([endpoint({ nodeName: 'n1' }), endpoint()]);
  });
});

it('warns of names, and of addresses unless a known controller wrote them', () => {
  const warnings = (fields: Partial<EndpointSlice>) => strategy.warningsOnCreate?.(context, slice(fields));
  const endpoints = [endpoint({ addresses: ['FD00::1'] })];
  const labels = { 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' };
  expect([
    warnings({ addressType: 'FQDN' }),
    warnings({ addressType: 'IPv6', endpoints }),
    warnings({ addressType: 'IPv6', endpoints, metadata: { labels } }),
  ]).toEqual([
    ['spec.addressType: FQDN endpoints are deprecated'],
    ['endpoints[0].addresses[0]: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")'],
    [],
  ]);
});

it('defaults names and protocols of ports', () => {
  const bare = slice({ ports: [{ port: 80 }] });
  endpointSlices.versions[0]?.applyDefaults?.(bare);
  expect(bare.ports).toEqual([{ port: 80, name: '', protocol: 'TCP' }]);
});

it('shows ports and addresses', () => {
  const cells = (shown: EndpointSlice) => endpointSlices.columns.map((column) => column.cell(shown, rowTime(0)));
  const ports = [{ port: 80 }, { name: 'a' }, {}, { port: 81 }];
  const endpoints = [endpoint(), endpoint({ addresses: ['10.0.0.2', '10.0.0.3', '10.0.0.4'] })];
  expect([cells(slice({ ports, endpoints })), cells(slice()), cells(slice({ ports: [{ name: '' }] }))]).toEqual([
    ['a', 'IPv4', '80,a,* + 1 more...', '10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...', '<unknown>'],
    ['a', 'IPv4', '<unset>', '<unset>', '<unknown>'],
    ['a', 'IPv4', '<unset>', '<unset>', '<unknown>'],
  ]);
});
