import { randomInt, randomUUID } from 'node:crypto';
import type { CustomResourceDefinition, JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import type { StoredObject } from '@apiserver/apiserver-contracts';
import { throwingLogger as logger } from '@apiserver/apiserver-contracts/testing';
import {
  completeGenericServerConfig,
  newEmptyDelegate,
  newGenericServerConfig,
  newServerContext,
  notFoundHandler,
} from '@apiserver/generic-server';
import { createStorageProvider } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { memoizedCodecs } from '@apiserver/registry-store/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findCondition } from '../custom-resource-definition/types.js';
import { newApiextensionsServer } from './apiextensions-server.js';

function start() {
  const generic = completeGenericServerConfig(newGenericServerConfig(newServerContext({ logger })));
  const store = generic.disposables.use(createMemoryStore({ clock: systemClock }));
  const codecFor = memoizedCodecs();
  const provider = generic.disposables.use(
    createStorageProvider({ store, root: '/registry', clock: systemClock, codecFor }),
  );
  const install = { clock: systemClock, random: randomInt, newUid: randomUUID };
  const { server } = newApiextensionsServer(
    { generic, provider, store, storagePrefix: '/registry', clock: systemClock, codecFor, install, logger },
    newEmptyDelegate(notFoundHandler),
  );
  const stopping = new AbortController();
  const hooks = [...server.postStartHooks.values()].map((hook) =>
    hook({ signal: stopping.signal, loopbackClient: server.loopbackClient }),
  );
  const client = server.loopbackClient;
  return {
    store,
    started: Promise.all(hooks),
    crds: client.resource<CustomResourceDefinition>({
      group: 'apiextensions.k8s.io',
      version: 'v1',
      resource: 'customresourcedefinitions',
    }),
    widgets: (version: string) => client.resource<KubeObject>({ group: 'example.com', version, resource: 'widgets' }),
    discoveryVerbs: (resource: string) =>
      server.apiContainer
        .installed()
        .flatMap(({ resources }) => resources)
        .find(({ definition }) => definition.resource === resource)?.definition.discoveryVerbs,
    stop: async () => {
      stopping.abort();
      await server.dispose();
    },
  };
}

const schemaOf = (properties: Record<string, JSONSchemaProps>): JSONSchemaProps => ({
  type: 'object',
  properties: { spec: { type: 'object', properties } },
});

function definition(name: string, kind: string, versions: CustomResourceDefinition['spec']['versions']) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}.example.com` },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: name, kind }, versions },
    status: { acceptedNames: { plural: '', kind: '' } },
  } satisfies CustomResourceDefinition;
}

const version = (name: string, storage: boolean, openAPIV3Schema: JSONSchemaProps) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema },
});

const widget = (apiVersion: string, name: string, spec: object, more: object = {}): KubeObject => ({
  apiVersion: `example.com/${apiVersion}`,
  kind: 'Widget',
  metadata: { name, ...more },
  spec,
});

let api: ReturnType<typeof start>;
beforeEach(async () => {
  api = start();
  await api.started;
});
afterEach(() => api.stop());

const eventually = <T>(look: () => Promise<T>): Promise<T> => vi.waitFor(look, 30_000);

const conditionsOf = (crd: CustomResourceDefinition) =>
  (crd.status.conditions ?? []).map(({ type, status, reason, message }) => ({ type, status, reason, message }));

async function established(name: string): Promise<CustomResourceDefinition> {
  return eventually(async () => {
    const crd = await api.crds.get('', name);
    if (findCondition(crd, 'Established')?.status !== 'True') throw new Error('not yet');
    return crd;
  });
}

describe('a definition', () => {
  it('is accepted, established and served', async () => {
    await api.crds.create(
      '',
      definition('widgets', 'Widget', [version('v1', true, schemaOf({ a: { type: 'string' } }))]),
    );
    const crd = await established('widgets.example.com');
    expect({
      conditions: conditionsOf(crd),
      names: crd.status.acceptedNames,
      stored: crd.status.storedVersions,
    }).toEqual({
      conditions: [
        { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      stored: ['v1'],
    });
    const created = await api.widgets('v1').create('ns', widget('v1', 'w', { a: 'x', gone: 1 }));
    expect([created['spec'], created.metadata.generation]).toEqual([{ a: 'x' }, 1]);
  });

  it('is accepted and established by one write', async () => {
    const states: string[][] = [];
    const watch = await api.crds.watch('');
    watch.start({
      event: ({ object }) => {
        const { status } = (object as StoredObject<CustomResourceDefinition>).object;
        states.push((status.conditions ?? []).map((condition) => `${condition.type} ${condition.status}`));
      },
      end: () => {},
    });
    await api.crds.create('', definition('widgets', 'Widget', [version('v1', true, schemaOf({}))]));
    await eventually(async () => expect(states.length).toBe(2));
    watch.close();
    expect(states).toEqual([[], ['NamesAccepted True', 'Established True']]);
  });

  it('of another server on the same store is served, though nothing was ever defined here', async () => {
    const crd = definition('widgets', 'Widget', [
      version('v1', true, schemaOf({ a: { type: 'string', pattern: '^x' } })),
    ]);
    const stored = { ...crd, metadata: { ...crd.metadata, uid: randomUUID(), generation: 1 } };
    const key = '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com';
    await api.store.commit({ type: 'put', key, value: Buffer.from(JSON.stringify(stored)), expectedRevision: 0 });
    await established('widgets.example.com');
    await api.widgets('v1').create('ns', widget('v1', 'w', { a: 'x' }));
    await expect(api.widgets('v1').create('ns', widget('v1', 'v', { a: 'y' }))).rejects.toThrow("should match '^x'");
  });

  it('waits for names of another definition, and gets them when that one is deleted', async () => {
    const schema = schemaOf({});
    await api.crds.create('', definition('widgets', 'Widget', [version('v1', true, schema)]));
    await established('widgets.example.com');
    await api.crds.create('', definition('gadgets', 'Widget', [version('v1', true, schema)]));
    const refused = await eventually(async () => {
      const crd = await api.crds.get('', 'gadgets.example.com');
      if (findCondition(crd, 'NamesAccepted') === undefined) throw new Error('not yet');
      return crd;
    });
    expect(conditionsOf(refused)).toEqual([
      { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict', message: '"WidgetList" is already in use' },
      { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
    ]);
    await api.crds.delete('', 'widgets.example.com');
    await established('gadgets.example.com');
  });

  it('deletes its objects, once their finalizers are removed', async () => {
    await api.crds.create('', definition('widgets', 'Widget', [version('v1', true, schemaOf({}))]));
    await established('widgets.example.com');
    const widgets = api.widgets('v1');
    await widgets.create('one', widget('v1', 'w', {}));
    const held = await widgets.create('two', widget('v1', 'w', {}, { finalizers: ['example.com/hold'] }));
    await api.crds.delete('', 'widgets.example.com');
    await expect(widgets.create('one', widget('v1', 'late', {}))).rejects.toThrow(
      'create not allowed while custom resource definition is terminating',
    );
    const waiting = await eventually(async () => {
      const object = await widgets.get('two', 'w');
      if (!object.metadata.deletionTimestamp) throw new Error('not yet');
      return object;
    });
    expect((await widgets.list('')).items.map(({ object }) => object.metadata.namespace)).toEqual(['two']);
    expect(api.discoveryVerbs('widgets')).toEqual(['delete', 'deletecollection', 'get', 'list', 'watch']);
    await widgets.update('two', { ...waiting, metadata: { ...waiting.metadata, finalizers: [] } });
    await expect
      .poll(() => api.crds.get('', 'widgets.example.com').catch((error: Error) => error.message))
      .toBe('customresourcedefinitions.apiextensions.k8s.io "widgets.example.com" not found');
    expect(held.metadata.namespace).toBe('two');
  });
});

describe('a change of schema', () => {
  it('applies to existing objects', async () => {
    const before = schemaOf({ a: { type: 'string' }, b: { type: 'string' } });
    await api.crds.create('', definition('widgets', 'Widget', [version('v1', true, before)]));
    const crd = await established('widgets.example.com');
    await api.widgets('v1').create('ns', widget('v1', 'w', { a: 'x', b: 'y' }));
    const after = schemaOf({ a: { type: 'string' }, n: { type: 'integer', default: 7 } });
    await api.crds.update('', { ...crd, spec: { ...crd.spec, versions: [version('v1', true, after)] } });
    await expect.poll(async () => (await api.widgets('v1').get('ns', 'w'))['spec']).toEqual({ a: 'x', n: 7 });
  });

  it('of storage version keeps objects readable in every version', async () => {
    const one = schemaOf({ a: { type: 'string' }, both: { type: 'string' } });
    const two = schemaOf({ b: { type: 'string' }, both: { type: 'string' } });
    await api.crds.create('', definition('widgets', 'Widget', [version('v1', true, one), version('v2', false, two)]));
    const crd = await established('widgets.example.com');
    await api.widgets('v1').create('ns', widget('v1', 'old', { a: 'x', both: 'y' }));
    await api.crds.update('', {
      ...crd,
      spec: { ...crd.spec, versions: [version('v1', false, one), version('v2', true, two)] },
    });
    const read = async (name: string) => {
      const { apiVersion, spec } = await api.widgets('v1').get('ns', name);
      return { apiVersion, spec };
    };
    await api.widgets('v2').create('ns', widget('v2', 'new', { b: 'x', both: 'y' }));
    await expect.poll(() => read('new')).toEqual({ apiVersion: 'example.com/v1', spec: { both: 'y' } });
    expect(await read('old')).toEqual({ apiVersion: 'example.com/v1', spec: { a: 'x', both: 'y' } });
    expect((await api.crds.get('', 'widgets.example.com')).status.storedVersions).toEqual(['v1', 'v2']);
  });

  it('of its status cannot remove all stored versions', async () => {
    await api.crds.create('', definition('widgets', 'Widget', [version('v1', true, schemaOf({}))]));
    const crd = await established('widgets.example.com');
    await api.crds.update('', { ...crd, status: { ...crd.status, storedVersions: [] } }, { subresource: 'status' });
    expect((await api.crds.get('', 'widgets.example.com')).status.storedVersions).toEqual(['v1']);
  });

  it.each<[string, Record<string, string>, readonly object[] | undefined]>([
    [
      'what both versions have',
      { both: 'z' },
      [
        ['example.com/v1', { 'f:spec': { '.': {}, 'f:a': {} } }],
        ['example.com/v2', { 'f:spec': { 'f:both': {} } }],
      ],
    ],
    ["fields of another manager's version that are pruned", { b: 'z', both: 'y' }, undefined],
  ])('and a write of %s: its managers', async (_what, spec, managed) => {
    const one = schemaOf({ a: { type: 'string' }, both: { type: 'string' } });
    const two = schemaOf({ b: { type: 'string' }, both: { type: 'string' } });
    await api.crds.create('', definition('widgets', 'Widget', [version('v1', true, one), version('v2', false, two)]));
    await established('widgets.example.com');
    const { metadata } = await api.widgets('v1').create('ns', widget('v1', 'old', { a: 'x', both: 'y' }));
    const { resourceVersion = '' } = metadata;
    const written = widget('v2', 'old', spec);
    const updated = await api
      .widgets('v2')
      .update('ns', { ...written, metadata: { ...written.metadata, resourceVersion } });
    const entries = updated.metadata.managedFields?.map(({ apiVersion, fieldsV1 }) => [apiVersion, fieldsV1]);
    expect(entries).toEqual(managed);
  });
});
