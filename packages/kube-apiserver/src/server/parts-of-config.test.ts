import { generateKeyPairSync } from 'node:crypto';
import type { KubeObject } from '@apiserver/apimachinery';
import { newConflict, newNotFound } from '@apiserver/apimachinery/errors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { Handler } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { type VerificationKey, verificationKey } from '@apiserver/authentication';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { ServerServiceAllocators } from '@apiserver/controlplane';
import { createTestExchange } from '@apiserver/endpoints-installer/testing';
import { describe, expect, it, vi } from 'vitest';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { connectionOptionsOf } from './connection-options.js';
import { deviceAccessOf } from './device-access.js';
import { evictionOptionsOf } from './eviction-options.js';
import { flowControlHooks, flowControlProducers } from './flow-control-hooks.js';
import { addLeaderElection } from './leader-election.js';
import { installOpenIdMetadata } from './open-id-metadata.js';
import { paramAccessOf } from './param-access.js';
import { peerAddressOf, peerProxyingOf } from './peers.js';
import { startPolicyStatus } from './policy-status.js';
import { addControllers } from './server-controllers.js';
import { serviceStoreOptionsOf } from './service-allocation.js';

const NOT_FOUND = newNotFound({ group: '', resource: 'things' }, 'a');

/** A config of a server whose API has these objects, by resource, namespace and name. */
function setUp(objects: Readonly<Record<string, object>> = {}, changes: object = {}) {
  const asked: string[] = [];
  const deleted: string[] = [];
  const { logger, lines } = createTestLogger();
  const client = {
    resource: ({ group, version, resource }: { group: string; version: string; resource: string }) => ({
      get: async (namespace: string, name: string) => {
        const key = `${group}/${version}/${resource}/${namespace}/${name}`;
        asked.push(key);
        const object = objects[key];
        if (object === undefined) throw NOT_FOUND;
        if (object instanceof Error) throw object;
        return object;
      },
      delete: async (namespace: string, name: string) => {
        const key = `${group}/${version}/${resource}/${namespace}/${name}`;
        deleted.push(key);
        if (objects[key] instanceof Error) throw objects[key];
      },
    }),
  };
  const authorizer = { authorize: vi.fn() };
  const generic = {
    logger,
    authorizer,
    random: () => 0.5,
    metrics: new MetricsRegistry({ withProcess: false }),
    loopback: { client, read: async () => ({ resources: [{ name: 'as', kind: 'A', namespaced: true }] }) },
    clock: {
      now: () => 0,
      schedule: (callback: () => void) => {
        const timer = setImmediate(callback);
        return () => clearImmediate(timer);
      },
    },
    signals: { listening: { signaled: Promise.resolve({ address: '192.0.2.9', port: 6443 }) } },
  };
  const resources = { features: { enabled: () => true } };
  const config = { generic, kubelet: { port: 7 }, maxConnectionBytesPerSec: 9, resources, ...changes };
  return { config: config as unknown as CompletedKubeApiServerConfig, asked, deleted, lines, authorizer };
}

describe('connectionOptionsOf', () => {
  it('reads the objects of connections', async () => {
    const { config, asked } = setUp({
      '/v1/pods/ns/a': { kind: 'Pod' },
      '/v1/services/ns/a': { kind: 'Service' },
      '/v1/endpoints/ns/a': { kind: 'Endpoints' },
      '/v1/nodes//a': { kind: 'Node' },
    });
    const { objects, kubelet, features, maxBytesPerSec, proxyTransport } = connectionOptionsOf(config);
    const read = [objects.pod('ns', 'a'), objects.service('ns', 'a'), objects.endpoints('ns', 'a'), objects.node('a')];
    expect(await Promise.all(read)).toEqual(['Pod', 'Service', 'Endpoints', 'Node'].map((kind) => ({ kind })));
    expect(asked).toEqual(['/v1/pods/ns/a', '/v1/services/ns/a', '/v1/endpoints/ns/a', '/v1/nodes//a']);
    expect([kubelet, features, maxBytesPerSec, proxyTransport]).toEqual([
      { port: 7 },
      config.resources.features,
      9,
      { ca: '', certificate: '', key: '', verify: false, connectTimeout: 30_000, dial: undefined },
    ]);
  });

  it('needs a namespace', async () => {
    const { objects } = connectionOptionsOf(setUp().config);
    const refused = { status: { code: 400, message: 'Namespace parameter required.' } };
    await expect(objects.pod('', 'a')).rejects.toMatchObject(refused);
    await expect(objects.service('', 'a')).rejects.toMatchObject(refused);
    await expect(objects.endpoints('', 'a')).rejects.toMatchObject(refused);
  });

  it('connects to the cluster by its egress, and finds addresses', async () => {
    const dial = () => Promise.reject(new Error('not dialled'));
    const { config } = setUp();
    Object.assign(config.generic, { egress: (name: string) => (name === 'cluster' ? dial : undefined) });
    const { proxyTransport, lookup } = connectionOptionsOf(config);
    expect([proxyTransport.dial, await lookup('127.0.0.1')]).toEqual([dial, ['127.0.0.1']]);
  });
});

describe('paramAccessOf', () => {
  it('finds the kind of parameters, and its resource', async () => {
    const key = 'admissionregistration.k8s.io/v1/validatingadmissionpolicies//p';
    const { config } = setUp({ [key]: { spec: { paramKind: { kind: 'A' } } } });
    const access = paramAccessOf(config);
    expect(await access.policyOf('validatingadmissionpolicies', 'p')).toEqual({ paramKind: { kind: 'A' } });
    expect(await access.policyOf('validatingadmissionpolicies', 'none')).toBeUndefined();
    const kind = { group: 'g', version: 'v1', kind: 'A' };
    expect([await access.resourceOf(kind), await access.resourceOf({ ...kind, kind: 'B' })]).toEqual(['as', undefined]);
  });

  it('fails with failures of the server', async () => {
    const key = 'admissionregistration.k8s.io/v1/validatingadmissionpolicies//p';
    const access = paramAccessOf(setUp({ [key]: new Error('no storage') }).config);
    await expect(access.policyOf('validatingadmissionpolicies', 'p')).rejects.toMatchObject({
      message: 'no storage',
    });
  });
});

describe('deviceAccessOf', () => {
  const attributes = {
    user: { name: 'jane', groups: [], extra: {} },
    verb: 'create',
    readOnly: false,
    isResourceRequest: true,
    apiGroup: 'g',
    apiVersion: 'v1',
    namespace: 'ns',
    resource: 'as',
    subresource: '',
    name: 'a',
    path: '/',
  };

  it('reads the labels of namespaces', async () => {
    const labelled = { metadata: { labels: { a: 'b' } } };
    const { config } = setUp({ '/v1/namespaces//ns': labelled, '/v1/namespaces//bare': { metadata: {} } });
    const { labelsOf } = deviceAccessOf(config);
    expect([await labelsOf({} as never, 'ns'), await labelsOf({} as never, 'bare')]).toEqual([{ a: 'b' }, {}]);
  });

  it.each<[object, string | undefined]>([
    [{ decision: 'Allow', reason: 'x' }, undefined],
    [
      { decision: 'NoOpinion' },
      'as.g "a" is forbidden: User "jane" cannot create resource "as" in API group "g" in the namespace "ns"',
    ],
    [
      { decision: 'Deny', reason: 'because', error: new Error('broken') },
      'as.g "a" is forbidden: User "jane" cannot create resource "as" in API group "g" in the namespace "ns": broken: because',
    ],
  ])('refuses what the authorizer does not allow: %j', async (decision, message) => {
    const { config, authorizer } = setUp();
    authorizer.authorize.mockResolvedValue(decision);
    const { signal } = new AbortController();
    expect(await deviceAccessOf(config).refusal(attributes as never, signal)).toBe(message);
    expect(authorizer.authorize).toHaveBeenCalledWith(attributes, signal);
  });
});

describe('evictionOptionsOf', () => {
  it('reads budgets and waits by the clock', async () => {
    const { config, asked } = setUp({ 'policy/v1/poddisruptionbudgets/ns/a': { kind: 'PodDisruptionBudget' } });
    const { budgets, retry } = evictionOptionsOf(config);
    expect(await budgets.get('ns', 'a')).toEqual({ kind: 'PodDisruptionBudget' });
    await retry.sleep(5);
    expect([asked, retry.random()]).toEqual([['policy/v1/poddisruptionbudgets/ns/a'], 0.5]);
  });
});

describe('serviceStoreOptionsOf', () => {
  const endpoints = '/v1/endpoints/ns/a';
  const of = (objects: Readonly<Record<string, object>> = {}) => {
    const parts = setUp(objects);
    return { ...parts, options: serviceStoreOptionsOf(parts.config, {} as ServerServiceAllocators) };
  };

  it('deletes the endpoints of a service, if there are some', async () => {
    const { options, deleted } = of();
    await options.deleteEndpoints('ns', 'a');
    await of({ [endpoints]: NOT_FOUND }).options.deleteEndpoints('ns', 'a');
    expect(deleted).toEqual([endpoints]);
    const failing = of({ [endpoints]: newConflict({ group: '', resource: 'endpoints' }, 'a', 'changed') });
    await expect(failing.options.deleteEndpoints('ns', 'a')).rejects.toMatchObject({ status: { code: 409 } });
  });

  it('logs what a service has not given back', () => {
    const { options, lines } = of();
    const service = { metadata: { namespace: 'ns', name: 'a' } } as KubeObject;
    options.onCleanupError(new Error('no storage'), service as never);
    expect(lines).toEqual([
      {
        level: 'error',
        message: 'Error giving back what a service had',
        error: new Error('no storage'),
        fields: { service: 'ns/a' },
      },
    ]);
  });
});

describe('installOpenIdMetadata', () => {
  const newKeys = () => [verificationKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)];
  const [first, second] = [newKeys(), newKeys()];

  /** A server with these keys of tokens, as a list that may change, and the paths that it then has. */
  function install(published: { keys: readonly VerificationKey[] }, changes: object = {}) {
    const serviceAccounts = {
      issuer: 'https://issuer.example.com',
      jwksUri: '',
      ...changes,
      published: { all: () => published.keys, maxAgeSeconds: () => 77 },
    };
    const { config, lines } = setUp({}, { serviceAccounts });
    let made = 0;
    Object.defineProperty(config.generic, 'externalAddress', {
      get: () => {
        made++;
        return 'example.com';
      },
    });
    const handlers = new Map<string, Handler>();
    const nonGoRestfulMux = {
      handle: (path: string, handler: Handler) => handlers.set(path, handler),
      handlePrefix: () => {},
    };
    installOpenIdMetadata({ nonGoRestfulMux } as never, config);
    const read = async (path: string) => {
      const exchange = createTestExchange({ url: path });
      const response = await handlers.get(path)?.(exchange);
      const { body } = response as unknown as { readonly body: Uint8Array };
      const headers = ['content-type', 'cache-control'].map((name) => exchange.responseHeaders.get(name));
      return { headers, body: JSON.parse(Buffer.from(body).toString()) };
    };
    return { read, lines, paths: [...handlers.keys()], timesMade: () => made };
  }

  it('serves the issuer, and the keys of the present, which it reads once', async () => {
    const published = { keys: first };
    const { read, paths, lines, timesMade } = install(published);
    expect([paths, lines]).toEqual([['/.well-known/openid-configuration', '/openid/v1/jwks'], []]);
    const kid = async () => (await read('/openid/v1/jwks')).body.keys.map((key: { kid: string }) => key.kid);
    const seen = [await kid(), await kid()];
    published.keys = second;
    seen.push(await kid());
    expect(seen).toEqual([first, first, second].map((keys) => keys.map(({ keyId }) => keyId)));
    expect(timesMade()).toBe(2);
    const { headers, body } = await read('/.well-known/openid-configuration');
    expect([headers, body.issuer, body.jwks_uri]).toEqual([
      ['application/json', 'public, max-age=77'],
      ...['https://issuer.example.com', 'https://example.com:6443/openid/v1/jwks'],
    ]);
    expect((await read('/openid/v1/jwks')).headers).toEqual(['application/jwk-set+json', 'public, max-age=77']);
  });

  it.each<[string, readonly VerificationKey[], object, string]>([
    ['issuer', first, { issuer: 'plain' }, 'issuer URL must use https scheme, got: plain'],
    ['place of keys', first, { jwksUri: 'http://a' }, 'jwksURI requires https scheme, parsed as: http://a'],
    ['set of keys', [], {}, 'no keys provided for validating keyset'],
  ])('serves nothing with an unusable %s', (_, keys, changes, reason) => {
    const { paths, lines } = install({ keys }, changes);
    const issuer = 'https://issuer.example.com';
    expect([paths, lines]).toEqual([
      [],
      [
        {
          level: 'warning',
          fields: { issuer, ...('issuer' in changes && changes), reason },
          message:
            'Could not construct pre-rendered responses for ServiceAccountIssuerDiscovery endpoints. Endpoints will not be enabled.',
        },
      ],
    ]);
  });
});

describe('flowControlHooks', () => {
  /** The hooks of a server that serves these resources, with a log of the names of its loggers. */
  function hooksOf(served: readonly string[], useStats?: () => void) {
    const statsOf = vi.fn();
    const flowControl = useStats && { useStats: vi.fn(useStats) };
    const enabled = { isEnabled: ({ resource }: { resource: string }) => served.includes(resource) };
    const { config, lines } = setUp({}, { enabled, storage: { objectCounts: { statsOf } } });
    const names: string[] = [];
    const named = (name: string) => {
      names.push(name);
      return config.generic.logger;
    };
    const logger = { ...config.generic.logger, named };
    const signals = { ready: { signaled: Promise.resolve() } };
    const generic = { ...config.generic, flowControl, logger, signals };
    const completed = { ...config, generic } as unknown as CompletedKubeApiServerConfig;
    const hooks = [...flowControlProducers(completed), ...flowControlHooks(completed)];
    return { hooks, lines, names, statsOf, flowControl };
  }
  const both = ['flowschemas', 'prioritylevelconfigurations'];
  const [producer, consumer] = [...['priority-and-fairness-config-producer', 'priority-and-fairness-config-consumer']];

  it.each<[readonly string[], boolean, readonly (string | undefined)[]]>([
    [both, true, [producer, consumer, 'priority-and-fairness-filter']],
    [['flowschemas'], true, [consumer, 'priority-and-fairness-filter']],
    [['prioritylevelconfigurations'], true, [consumer, 'priority-and-fairness-filter']],
    [both, false, [producer, 'max-in-flight-filter']],
    [[], false, ['max-in-flight-filter']],
  ])('with %j, on: %j, are %j', (served, isOn, names) => {
    expect(hooksOf(served, isOn ? () => {} : undefined).hooks.map(({ name }) => name)).toEqual(names);
  });

  it('give the numbers of objects to the estimates of work', () => {
    const { flowControl, statsOf } = hooksOf(both, () => {});
    const [[give] = []] = (flowControl?.useStats.mock.calls ?? []) as unknown as [((...args: string[]) => void)?][];
    give?.('apps', 'deployments');
    expect(statsOf).toHaveBeenCalledWith('apps', 'deployments');
  });

  /** Runs the consumer over an API that fails. */
  async function consume(served: readonly string[], { aborted }: { readonly aborted: boolean }) {
    const { hooks, lines, names } = hooksOf(served, () => {});
    const stop = new AbortController();
    const failed = Promise.withResolvers<void>();
    const resource = () => {
      failed.resolve();
      throw new Error('no client');
    };
    const context = { loopbackClient: { resource }, signal: stop.signal };
    await hooks.find(({ name }) => name === consumer)?.run(context as never);
    if (aborted) stop.abort();
    else if (served.length === 2) await failed.promise;
    await eventLoopTurns();
    return { names, messages: lines.map(({ message }) => message) };
  }

  it('report the end of the consumer, unless the server ends', async () => {
    const ended = 'Flow schemas and priority levels are not read until the server is started again';
    expect([
      await consume(both, { aborted: false }),
      await consume(both, { aborted: true }),
      await consume(['flowschemas'], { aborted: false }),
    ]).toEqual([
      { names: ['flowcontrol', 'flowcontrol', 'flowcontrol'], messages: [ended] },
      { names: ['flowcontrol', 'flowcontrol', 'flowcontrol'], messages: [] },
      { names: ['flowcontrol'], messages: [] },
    ]);
  });
});

describe('startPolicyStatus', () => {
  async function start(isEnabled: boolean, aborted: boolean) {
    const asked: unknown[] = [];
    const enabled = {
      isEnabled: (resource: object) => {
        asked.push(resource);
        return isEnabled;
      },
    };
    const { config, lines } = setUp({}, { enabled });
    Object.assign(config.generic.signals, { ready: { signaled: Promise.resolve() } });
    const stop = new AbortController();
    const resource = () => {
      if (aborted) stop.abort();
      throw new Error('no client');
    };
    startPolicyStatus(config, { loopbackClient: { resource }, signal: stop.signal } as never);
    await eventLoopTurns();
    return { asked, messages: lines.map(({ message }) => message) };
  }

  it('runs only with policies, and reports its end, unless the server ends', async () => {
    const asked = [{ group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicies' }];
    const ended = 'The check of types in policies has failed, and is stopped until the server is started again';
    expect([await start(false, false), await start(true, false), await start(true, true)]).toEqual([
      { asked, messages: [] },
      { asked, messages: [ended] },
      { asked, messages: [] },
    ]);
  });
});

describe('hooks of the server', () => {
  /** The hooks that a function adds. */
  function hooksOf(add: (server: never) => void) {
    const started = new Map<string, (context: never) => Promise<void>>();
    const stopped = new Map<string, () => Promise<void>>();
    const server = {
      addPostStartHook: (name: string, hook: (context: never) => Promise<void>) => started.set(name, hook),
      addPreShutdownHook: (name: string, hook: () => Promise<void>) => stopped.set(name, hook),
    };
    add(server as never);
    return { started, stopped };
  }

  it('are none without elections and controllers', () => {
    const { config } = setUp({}, { controllers: [], leaderElection: undefined });
    const { started, stopped } = hooksOf((server) => {
      addLeaderElection(server, config);
      addControllers(server, config);
    });
    expect([[...started], [...stopped]]).toEqual([[], []]);
  });

  it('warn of elections without candidates', async () => {
    const timers = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };
    const { config, lines } = setUp({}, { leaderElection: timers, enabled: { isEnabled: () => false } });
    const { started, stopped } = hooksOf((server) => addLeaderElection(server, config));
    expect([[...started.keys()], [...stopped.keys()]]).toEqual([
      ['start-kube-apiserver-coordinated-leader-election-controller'],
      ['stop-kube-apiserver-coordinated-leader-election-controller'],
    ]);
    for (const hook of started.values()) await hook({} as never);
    expect(lines.map(({ message }) => message)).toEqual([
      'No elections without LeaseCandidates: set --runtime-config=coordination.k8s.io/v1beta1=true',
    ]);
  });

  it.each([
    [
      'run controllers after readiness, and log why they end',
      false,
      ['The controllers have failed, and are stopped until the server is started again'],
    ],
    ['run no controllers if the server ends before it is ready', true, []],
  ])('%s', async (_what, isEnded, messages) => {
    const stop = new AbortController();
    // The controllers read the stores first.
    const stores = vi.fn(() => {
      throw new Error('no stores');
    });
    const storage = Object.defineProperty({}, 'stores', { get: stores });
    const { config, lines } = setUp({}, { controllers: ['a'], storage });
    const ready = Promise.withResolvers<void>();
    Object.assign(config.generic.signals, { ready: { signaled: ready.promise } });
    const { started, stopped } = hooksOf((server) => addControllers(server, config));
    expect([[...started.keys()], [...stopped.keys()]]).toEqual([['start-controllers'], ['stop-controllers']]);
    await started.get('start-controllers')?.({ signal: stop.signal } as never);
    await eventLoopTurns();
    expect(stores).not.toHaveBeenCalled();
    if (isEnded) stop.abort();
    ready.resolve();
    if (!isEnded) await vi.waitFor(() => expect(lines).not.toEqual([]), { timeout: 30_000 });
    await stopped.get('stop-controllers')?.();
    expect([stores.mock.calls.length, lines.map(({ message }) => message)]).toEqual([messages.length, messages]);
  });
});

describe('the address of this server for its peers', () => {
  const addressOf = (changes: object, isEnabled = true) => {
    const features = { enabled: (name: string) => isEnabled && name === 'UnknownVersionInteroperabilityProxy' };
    const services = { publicAddress: '192.0.2.1', publicPort: 0 };
    return peerAddressOf(setUp({}, { resources: { features }, peers: {}, services, ...changes }).config)?.();
  };

  it('is that of flags, of the service, or of the listener', async () => {
    const services = { publicAddress: 'fd00::1', publicPort: 7 };
    expect(
      await Promise.all([
        addressOf({}),
        addressOf({ services }),
        addressOf({ services, peers: { advertised: { ip: '192.0.2.7', port: '77' } } }),
        addressOf({}, false),
      ]),
    ).toEqual(['192.0.2.1:6443', '[fd00::1]:7', '192.0.2.7:77', undefined]);
  });

  it('is of no use without a proxy', () => {
    expect(peerProxyingOf(setUp({}, { peers: {} }).config)).toBeUndefined();
  });
});
