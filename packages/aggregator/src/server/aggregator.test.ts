import { randomInt, randomUUID } from 'node:crypto';
import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import { PriorityClass } from '@apiserver/api/scheduling/v1';
import { systemClock } from '@apiserver/apimachinery/clock';
import { throwingLogger as logger } from '@apiserver/apiserver-contracts/testing';
import {
  completeGenericServerConfig,
  newEmptyDelegate,
  newGenericServer,
  newGenericServerConfig,
  newServerContext,
  notFoundHandler,
} from '@apiserver/generic-server';
import { callHandler } from '@apiserver/generic-server/testing';
import { createStorageProvider, installedResource } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { memoizedCodecs } from '@apiserver/registry-store/testing';
import { defaultColumns, defineResource } from '@apiserver/resource-kit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AUTOMANAGED_LABEL, localApiService } from '../registration/desired-api-service.js';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { newAggregator } from './aggregator.js';

const strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: () => [],
  validateUpdate: () => [],
};
const builtIn = defineResource<PriorityClass>({
  versions: [{ schema: PriorityClass }],
  strategy,
  columns: defaultColumns,
});

/** Starts a chain of an aggregator and one delegate, on a store that may have earlier data. */
function start(store = createMemoryStore({ clock: systemClock })) {
  const generic = completeGenericServerConfig(newGenericServerConfig(newServerContext({ logger })));
  const provider = createStorageProvider({ store, root: '/registry', clock: systemClock, codecFor: memoizedCodecs() });
  const install = { clock: systemClock, random: randomInt, newUid: randomUUID };
  const delegate = newGenericServer(generic, { name: 'behind', delegate: newEmptyDelegate(notFoundHandler) });
  const resources = [installedResource(builtIn, provider, install)];
  delegate.installApiGroup({ group: 'scheduling.k8s.io', versions: ['v1'], resources });
  const definitions = new ControlledInformer<CustomResourceDefinition>();
  const parts = {
    generic,
    provider,
    clock: systemClock,
    install,
    logger,
    definitions,
    proxying: { routeToEndpoints: false, rejectRedirects: true, certificate: () => ({ certificate: '', key: '' }) },
  };
  const { server, registered } = newAggregator({ ...parts, delegated: delegate.apiContainer }, delegate);
  server.prepareRun();
  const handle = server.unprotectedHandler ?? notFoundHandler;
  const client = server.loopbackClient.resource<APIService>({
    group: 'apiregistration.k8s.io',
    version: 'v1',
    resource: 'apiservices',
  });
  const stopping = new AbortController();
  return {
    store,
    client,
    definitions,
    registered,
    run: () => {
      for (const hook of server.postStartHooks.values()) {
        void hook({ signal: stopping.signal, loopbackClient: server.loopbackClient });
      }
      return registered;
    },
    get: async (url: string, accept = 'application/json') => {
      const { status, body } = await callHandler(handle, { url, headers: { accept } });
      return { status, body: body.startsWith('{') ? JSON.parse(body) : body };
    },
    readyz: async () => (await callHandler(handle, { url: '/readyz/autoregister-completion' })).status,
    stop: async () => {
      stopping.abort();
      await server.dispose();
      await provider[Symbol.asyncDispose]();
    },
  };
}

function definition(name: string, ...versions: readonly string[]): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: name, kind: name },
      versions: versions.map((version, i) => ({ name: version, served: true, storage: i === 0 })),
    },
    status: { acceptedNames: { plural: '', kind: '' } },
  };
}

let api: ReturnType<typeof start>;
beforeEach(() => {
  api = start();
});
afterEach(() => api.stop());

const eventually = <T>(look: () => Promise<T>): Promise<T> => vi.waitFor(look, 30_000);

const names = async () => (await api.client.list('')).items.map(({ object }) => object.metadata.name).sort();

describe('newAggregator', () => {
  it("is ready when its delegates' group versions are registered, which are available at once", async () => {
    expect(await api.readyz()).toBe(500);
    await api.run();
    expect(await api.readyz()).toBe(200);
    const { metadata, spec, status } = await api.client.get('', 'v1.scheduling.k8s.io');
    expect({ labels: metadata.labels, spec, conditions: status.conditions }).toEqual({
      labels: { [AUTOMANAGED_LABEL]: 'onstart' },
      spec: { group: 'scheduling.k8s.io', version: 'v1', groupPriorityMinimum: 16_600, versionPriority: 15 },
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: expect.any(String),
          reason: 'Local',
          message: 'Local APIServices are always available',
        },
      ],
    });
  });

  it('follows definitions: registers, restores and removes their group versions', async () => {
    await api.run();
    api.definitions.put(definition('a', 'v1', 'v2'));
    api.definitions.put(definition('b', 'v1'));
    await eventually(async () =>
      expect(await names()).toEqual(['v1.example.com', 'v1.scheduling.k8s.io', 'v2.example.com']),
    );
    const registered = await api.client.get('', 'v1.example.com');
    await api.client.update('', { ...registered, spec: { ...registered.spec, versionPriority: 3 } });
    await eventually(async () => expect((await api.client.get('', 'v1.example.com')).spec.versionPriority).toBe(100));
    await api.client.delete('', 'v2.example.com');
    await eventually(async () => expect(await names()).toContain('v2.example.com'));
    api.definitions.remove('a.example.com');
    await eventually(async () => expect(await names()).toEqual(['v1.example.com', 'v1.scheduling.k8s.io']));
  });

  it('ignores APIServices marked onstart after the start, and those without the label', async () => {
    await api.run();
    await api.client.delete('', 'v1.scheduling.k8s.io');
    const foreign = localApiService({ group: 'foreign.example.com', version: 'v1' }, { group: 5, version: 5 }, 'true');
    await api.client.create('', { ...foreign, metadata: { name: 'v1.foreign.example.com' } });
    api.definitions.put(definition('a', 'v1'));
    await eventually(async () => expect(await names()).toEqual(['v1.example.com', 'v1.foreign.example.com']));
  });

  it('deletes obsolete APIServices at the next start, and creates missing ones', async () => {
    await api.run();
    const gone = localApiService({ group: 'gone.example.com', version: 'v1' }, { group: 5, version: 5 }, 'onstart');
    await api.client.create('', gone);
    await api.client.delete('', 'v1.scheduling.k8s.io');
    await api.stop();
    api = start(api.store);
    await api.run();
    await eventually(async () => expect(await names()).toEqual(['v1.scheduling.k8s.io']));
  });

  it('treats an APIService without a service as its own', async () => {
    await api.run();
    const remote = localApiService({ group: 'r.example.com', version: 'v1' }, { group: 5, version: 5 }, 'true');
    const { metadata, spec } = remote;
    const created = await api.client.create('', {
      ...remote,
      metadata: { name: metadata.name ?? '' },
      spec: { ...spec, service: { namespace: 'ns', name: 's' } },
    });
    expect([created.status, created.spec.service?.port]).toEqual([{}, 443]);
    await api.client.update('', { ...created, spec });
    await eventually(async () => {
      const { status } = await api.client.get('', 'v1.r.example.com');
      expect(status.conditions?.[0]?.reason).toBe('Local');
    });
  });
});

describe('discovery', () => {
  it('lists its own group first, then the groups by priority', async () => {
    await api.run();
    api.definitions.put(definition('a', 'v1', 'v2'));
    await eventually(async () => {
      const { body } = await api.get('/apis');
      expect(body.groups.map(({ name }: { name: string }) => name)).toEqual([
        'apiregistration.k8s.io',
        'scheduling.k8s.io',
        'example.com',
      ]);
      expect(body.groups[2].preferredVersion).toEqual({ groupVersion: 'example.com/v2', version: 'v2' });
    });
    expect(await api.get('/apis/scheduling.k8s.io/')).toEqual({
      status: 200,
      body: {
        kind: 'APIGroup',
        apiVersion: 'v1',
        name: 'scheduling.k8s.io',
        versions: [{ groupVersion: 'scheduling.k8s.io/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'scheduling.k8s.io/v1', version: 'v1' },
      },
    });
    expect((await api.get('/apis/nobody.example.com')).status).toBe(404);
  });

  it('serves its own group, and passes other groups to its delegate', async () => {
    await api.run();
    const [own, behind] = [
      await api.get('/apis/apiregistration.k8s.io/v1'),
      await api.get('/apis/scheduling.k8s.io/v1'),
    ];
    expect([own, behind].map(({ body }) => body.resources.map(({ name }: { name: string }) => name))).toEqual([
      ['apiservices', 'apiservices/status'],
      ['priorityclasses'],
    ]);
  });

  it('combines all groups in one document', async () => {
    await api.run();
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { body } = await api.get('/apis', accept);
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
      'apiregistration.k8s.io',
      'scheduling.k8s.io',
    ]);
    expect((await api.get('/apis/', accept)).status).toBe(406);
  });
});
