import type { Endpoints, Node, Pod, Service } from '@apiserver/api/core/v1';
import { newNotFound } from '@apiserver/apimachinery/errors';
import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { TEST_FEATURES, testFeatures } from '../../testing/group-dependencies.js';
import { noConnectionMetrics } from './connection-metrics.js';
import type { BackendObjectGetter, ConnectionOptions } from './connections.js';
import { containerOf } from './container-of.js';
import { kubeletConnection } from './kubelet-connection.js';
import { validatePodLogOptions } from './log-validation.js';
import { nodeBackend, podBackend, serviceBackend } from './proxy-backends.js';
import { isProxyable } from './proxyable-address.js';

const transport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 1 };
const kubeletTransport = { ...transport, verify: true };
const [proxied, proxiedKubelet] = [transport, kubeletTransport].map((each) => ({
  ...each,
  allowsAddress: isProxyable,
}));
const metadata = { name: 'a', namespace: 'n' };
const container = (name: string, ...ports: number[]) => ({
  name,
  image: 'i',
  resources: {},
  ports: ports.map((containerPort) => ({ containerPort })),
});

function pod(ip: string, ...containers: ReturnType<typeof container>[]): Partial<Pod> {
  return { metadata, spec: { containers }, status: { podIPs: [{ ip }] } };
}

function node(status: Partial<Node['status']>): Partial<Node> {
  return { metadata: { name: 'a' }, status: { daemonEndpoints: {}, nodeInfo: {}, ...status } as Node['status'] };
}

/** Options with these objects, found by `kind/name`. */
function optionsOver(objects: Readonly<Record<string, object>>, lookup = async () => ['10.0.0.1']): ConnectionOptions {
  const find = async <T>(kind: string, name: string): Promise<T> => {
    const found = objects[`${kind}/${name}`];
    if (found === undefined) throw newNotFound({ group: '', resource: kind }, name);
    return found as T;
  };
  const getter: BackendObjectGetter = {
    pod: (_namespace, name) => find<Pod>('pods', name),
    node: (name) => find<Node>('nodes', name),
    service: (_namespace, name) => find<Service>('services', name),
    endpoints: (_namespace, name) => find<Endpoints>('endpoints', name),
  };
  return {
    objects: getter,
    kubelet: {
      preferredAddressTypes: ['Hostname', 'InternalIP'],
      port: 10250,
      transport: kubeletTransport,
      insecureTransport: transport,
    },
    proxyTransport: transport,
    features: TEST_FEATURES,
    maxBytesPerSec: 0,
    authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
    metrics: noConnectionMetrics,
    lookup,
    random: () => 0,
  };
}

const context = testContext({ namespace: 'n' });
const outcome = async (work: Promise<unknown>) => {
  try {
    return await work;
  } catch (error) {
    return String((error as Error).message);
  }
};

describe('the proxy of a pod', () => {
  it.each([
    [
      'a',
      pod('10.0.0.1', container('x'), container('y', 80, 81)),
      { scheme: 'http', hostname: '10.0.0.1', port: '80' },
    ],
    ['a:8080', pod('10.0.0.1'), { scheme: 'http', hostname: '10.0.0.1', port: '8080' }],
    ['https:a:', pod('fd00::1', container('x')), { scheme: 'https', hostname: 'fd00::1', port: '' }],
    ['a', pod('127.0.0.1'), 'address not allowed'],
    ['a', { ...pod(''), status: {} }, 'address not allowed'],
    ['b', {}, 'pods "b" not found'],
    ['ftp:a:1', {}, 'invalid pod request "ftp:a:1"'],
    ['http::1', {}, 'invalid pod request "http::1"'],
    ['a:b:c:d', {}, 'invalid pod request "a:b:c:d"'],
  ])('%s %j', async (id, object, expected) => {
    const found = await outcome(podBackend(optionsOver({ 'pods/a': object }), context, id));
    expect(found).toEqual(typeof expected === 'string' ? expected : { ...expected, transport: proxied });
  });
});

describe('the proxy of a node', () => {
  const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];

  it.each([
    ['a', { scheme: 'https', hostname: '10.0.0.1', port: '10250', transport: proxiedKubelet }],
    ['http:a:10250', { scheme: 'https', hostname: '10.0.0.1', port: '10250', transport: proxiedKubelet }],
    ['a:9100', { scheme: 'http', hostname: '10.0.0.1', port: '9100', transport: proxied }],
    ['b', 'nodes "b" not found'],
  ])('%s', async (id, expected) => {
    expect(await outcome(nodeBackend(optionsOver({ 'nodes/a': node({ addresses }) }), id))).toEqual(expected);
  });

  it.each([
    [async () => ['10.0.0.1', '127.0.0.1'], 'address not allowed'],
    [async () => ['0.0.0.0'], 'address not allowed'],
    [async () => ['::'], 'address not allowed'],
    [async () => ['255.255.255.255'], 'address not allowed'],
    [async () => [], 'No addresses for hostname'],
    [async () => Promise.reject(new Error('ENOTFOUND')), 'lookup 10.0.0.1: no such host'],
  ])('must not lead to this machine', async (lookup, message) => {
    expect(await outcome(nodeBackend(optionsOver({ 'nodes/a': node({ addresses }) }, lookup), 'a'))).toBe(message);
  });
});

describe('the kubelet of a node', () => {
  const addresses = [
    { type: 'InternalIP', address: '10.0.0.1' },
    { type: 'Hostname', address: 'host' },
  ];

  it.each([
    [{ addresses }, { hostname: 'host', port: '10250', speaksWebSocket: false }],
    [
      {
        addresses,
        daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
        declaredFeatures: ['X', 'ExtendWebSocketsToKubelet'],
      },
      { hostname: 'host', port: '1', speaksWebSocket: true },
    ],
    [
      { addresses: [{ type: 'ExternalIP', address: '1.2.3.4' }] },
      'no preferred addresses found; known addresses: [{ExternalIP 1.2.3.4}]',
    ],
    [{}, 'no preferred addresses found; known addresses: []'],
  ])('%j', async (status, expected) => {
    const found = await outcome(kubeletConnection(optionsOver({ 'nodes/a': node(status) }), 'a'));
    expect(found).toEqual(typeof expected === 'string' ? expected : expect.objectContaining(expected));
  });

  it('gets no WebSockets without ExtendWebSocketsToKubelet', async () => {
    const addresses = [{ type: 'Hostname', address: 'host' }];
    const declaring = node({ addresses, declaredFeatures: ['ExtendWebSocketsToKubelet'] });
    const options = {
      ...optionsOver({ 'nodes/a': declaring }),
      features: testFeatures({ ExtendWebSocketsToKubelet: false }),
    };
    expect((await kubeletConnection(options, 'a')).speaksWebSocket).toBe(false);
  });
});

describe('the proxy of a service', () => {
  const targetRef = { kind: 'Pod', namespace: 'n', name: 'a' };
  const subsets = [
    { addresses: [], ports: [{ name: 'http', port: 1 }] },
    {
      addresses: [{ ip: '10.9.9.9', targetRef }, { ip: '10.0.0.2' }, { ip: '10.0.0.1', targetRef }],
      ports: [
        { name: 'http', port: 8080 },
        { name: 'https', port: 8443 },
      ],
    },
  ];
  const objects = {
    'pods/a': pod('10.0.0.1'),
    'services/s': { metadata, spec: { ports: [{ name: 'https', port: 443 }] } },
    'endpoints/s': { metadata, subsets },
    'endpoints/empty': { metadata },
    'endpoints/foreign': { metadata, subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 1 }] }] },
  };

  it.each([
    ['s:http', { scheme: 'http', hostname: '10.0.0.1', port: '8080' }],
    ['https:s:443', { scheme: 'https', hostname: '10.0.0.1', port: '8443' }],
    ['s:80', 'no service port 80 found for service "s"'],
    ['s', 'no endpoints available for service "s"'],
    ['s:nope', 'no endpoints available for service "s:nope"'],
    ['empty:http', 'no endpoints available for service "empty"'],
    ['foreign', 'no endpoints available for service "foreign"'],
    ['none', 'services "none" not found'],
    [':1', 'invalid service request ":1"'],
  ])('%s', async (id, expected) => {
    const found = await outcome(serviceBackend(optionsOver(objects), context, id));
    expect(found).toEqual(typeof expected === 'string' ? expected : { ...expected, transport: proxied });
  });

  it('looks for the pods of many endpoints in turns', async () => {
    const gone = Array.from({ length: 30_000 }, (_, i) => ({
      ip: '10.0.0.1',
      targetRef: { ...targetRef, name: `${i}` },
    }));
    const many = { 'endpoints/many': { metadata, subsets: [{ addresses: gone, ports: [{ port: 1 }] }] } };
    let turns = 0;
    setImmediate(() => turns++);
    const found = await outcome(serviceBackend(optionsOver(many), context, 'many'));
    expect([found, turns]).toEqual(['no endpoints available for service "many"', 1]);
  });
});

describe('addresses', () => {
  it.each([
    ['10.0.0.1', true],
    ['2001:db8::1', true],
    ['fd00::1', true],
    ['::ffff:10.0.0.1', true],
    ['127.0.0.2', false],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['169.254.169.254', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['224.0.0.1', false],
    ['239.1.2.3', false],
    ['ff02::1', false],
    ['ff0e::1', false],
    ['0.0.0.0', false],
    ['::', false],
    ['::ffff:0.0.0.0', false],
    ['255.255.255.255', false],
    ['nonsense', false],
  ])('%s', (address, expected) => {
    expect(isProxyable(address)).toBe(expected);
  });
});

describe('the container of a request', () => {
  const two = pod('10.0.0.1', container('x'), container('y'));
  const withInit = { ...two, spec: { containers: two.spec?.containers ?? [], initContainers: [container('i')] } };

  it.each([
    [pod('', container('x')), '', 'x'],
    [two, 'y', 'y'],
    [withInit, 'i', 'i'],
    [two, '', 'a container name must be specified for pod a, choose one of: [x y]'],
    [withInit, '', 'a container name must be specified for pod a, choose one of: [i x y]'],
    [two, 'z', 'container z is not valid for pod a'],
  ])('%#', async (object, wanted, expected) => {
    expect(await outcome(Promise.resolve().then(() => containerOf(object as Pod, wanted)))).toBe(expected);
  });
});

it.each([
  [{}, []],
  [{ tailLines: 0, limitBytes: 1, sinceSeconds: 1 }, []],
  [{ tailLines: -1 }, ['tailLines: Invalid value: -1: must be greater than or equal to 0']],
  [{ limitBytes: 0 }, ['limitBytes: Invalid value: 0: must be greater than 0']],
  [{ sinceSeconds: 0 }, ['sinceSeconds: Invalid value: 0: must be greater than 0']],
  [
    { sinceSeconds: 0, sinceTime: '2026-01-01T00:00:00Z' },
    ['[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified'],
  ],
  [{ stream: 'Stdout' }, ['stream: Forbidden: may not be specified']],
])('options of a log: %j', (options, expected) => {
  const errors = validatePodLogOptions({ apiVersion: 'v1', kind: 'PodLogOptions', ...options }, false);
  expect(errors.map(fieldErrorMessage)).toEqual(expected);
});
