import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { Schema } from '@apiserver/apimachinery/schema';
import type { AnyResourceDefinition, Strategy, VerbContext } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { storedDefinitions } from './testing/group-dependencies.js';
import { hubOf, smallestObject } from './testing/smallest-object.js';
import { fieldsOf, sampleValue, spoiledValues } from './testing/spoiled-values.js';

/** A kind that clients create, with the input of its strategy. */
interface Kind {
  readonly definition: AnyResourceDefinition;
  readonly codec: KindCodec;
  readonly context: VerbContext;
  /** A valid, stored object. */
  readonly stored: KubeObject;
}

function kindOf(definition: AnyResourceDefinition): Kind {
  const codec = compileKind(hubOf(definition).schema);
  const namespace = definition.scope === 'Namespaced' ? 'ns' : '';
  const name = definition.kind === 'IPAddress' ? '10.0.0.1' : 'a';
  const stored = smallestObject(definition, codec, name);
  Object.assign(stored.metadata, { uid: 'u', resourceVersion: '1', ...(namespace && { namespace }) });
  const context = { ...testContext({ namespace }), requestInfo: requestInfoOf(definition, namespace) };
  return { definition, codec, context, stored };
}

function requestInfoOf({ group, resource }: AnyResourceDefinition, namespace: string): VerbContext['requestInfo'] {
  return {
    isResourceRequest: true,
    path: '/',
    verb: 'create',
    apiPrefix: 'apis',
    apiGroup: group,
    apiVersion: 'v1',
    namespace,
    resource,
    subresource: '',
    name: 'a',
    parts: [],
    fieldSelector: '',
    labelSelector: '',
  };
}

const kinds = storedDefinitions()
  .filter(({ verbs, storedAs }) => verbs.includes('create') && storedAs === undefined)
  .map(kindOf);

/** The object of a body with another value in one field. Undefined if no body can have that value. */
function changed({ definition, codec, stored }: Kind, field: string, value: unknown): KubeObject | undefined {
  const sent = JSON.parse(Buffer.from(codec.encodeJson(stored)).toString('utf8'));
  if (value === undefined) delete sent[field];
  else sent[field] = value;
  try {
    const { object } = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Ignore');
    codec.applyDefaults(object);
    const hub = hubOf(definition);
    hub.applyDefaults?.(object);
    hub.normalize?.(object);
    return object;
  } catch {
    return undefined;
  }
}

const OF_ALL_KINDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

function fieldSchema({ definition }: Kind, field: string): Schema {
  const found = fieldsOf(hubOf(definition).schema.schema).find(({ name }) => name === field);
  if (found === undefined) throw new Error(`${definition.kind} has no ${field}`);
  return found.schema;
}

/** A strategy's faults below a field, for each invalid value. */
async function faultsOf(
  kind: Kind,
  field: string,
  check: (object: KubeObject) => readonly FieldError[] | Promise<readonly FieldError[]>,
): Promise<number> {
  const { codec, stored } = kind;
  const value = JSON.parse(Buffer.from(codec.encodeJson(stored)).toString('utf8'))[field];
  const schema = fieldSchema(kind, field);
  let faults = 0;
  for (const spoiled of [undefined, ...spoiledValues(schema, value)]) {
    const object = changed(kind, field, spoiled);
    if (object === undefined) continue;
    const errors = await check(object);
    if (errors.some((error) => error.field.startsWith(field))) faults++;
  }
  return faults;
}

async function created({ definition: { strategy }, context }: Kind, object: KubeObject) {
  await strategy.prepareForCreate?.(context, object);
  return strategy.validate(context, object);
}

async function updated({ context, stored }: Kind, strategy: Strategy, object: KubeObject) {
  await strategy.prepareForUpdate?.(context, object, stored);
  return strategy.validateUpdate(context, object, stored);
}

const named = ({ definition: { group, resource } }: Kind, field: string) => `${group}/${resource} ${field}`;

/** Fields of all kinds in which no fault is ever reported. */
async function unchecked(
  fieldsOfKind: (kind: Kind) => readonly string[],
  check: (kind: Kind, object: KubeObject) => Promise<readonly FieldError[]>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of kinds) {
    for (const field of fieldsOfKind(kind)) {
      if ((await faultsOf(kind, field, (object) => check(kind, object))) === 0) found.push(named(kind, field));
    }
  }
  return found;
}

const ownFields = ({ definition }: Kind) =>
  fieldsOf(hubOf(definition).schema.schema)
    .map(({ name }) => name)
    .filter((name) => !OF_ALL_KINDS.has(name));

/** Fields that upstream does not validate: arbitrary strings, booleans and times, and fields of old events. */
const FREE_FIELDS = [
  '/configmaps immutable',
  ...['count', 'eventTime', 'firstTimestamp', 'lastTimestamp', 'message', 'related', 'series', 'source', 'type'].map(
    (field) => `/events ${field}`,
  ),
  '/secrets immutable',
  '/secrets stringData',
  '/serviceaccounts automountServiceAccountToken',
  '/serviceaccounts imagePullSecrets',
  '/serviceaccounts secrets',
  // Its spec has no fields.
  'internal.apiserver.k8s.io/storageversions spec',
  'scheduling.k8s.io/priorityclasses description',
  'scheduling.k8s.io/priorityclasses globalDefault',
  'storage.k8s.io/csistoragecapacities maximumVolumeSize',
  'storage.k8s.io/storageclasses allowVolumeExpansion',
  'storage.k8s.io/storageclasses mountOptions',
];

it('every field of every kind is validated on create, or is free', async () => {
  const free = await unchecked(ownFields, created);
  // The data of a secret must match its type, which is arbitrary.
  expect([...free].sort()).toEqual([...FREE_FIELDS, '/secrets type'].sort());
});

it('every field of every kind is validated on update, or is free or reset', async () => {
  const free = await unchecked(ownFields, (kind, object) => updated(kind, kind.definition.strategy, object));
  const putBack = ['/namespaces spec', 'certificates.k8s.io/certificatesigningrequests spec'];
  expect([...free].sort()).toEqual([...FREE_FIELDS, ...putBack].sort());
});

/** Kinds with a status, which has its own endpoint. */
const withStatus = kinds.filter(({ definition }) =>
  fieldsOf(hubOf(definition).schema.schema).some(({ name }) => name === 'status'),
);

function statusStrategyOf({ definition }: Kind): Strategy {
  const { status } = definition.subresources;
  if (status === undefined) throw new Error(`${definition.resource} has no status endpoint`);
  return status.strategy;
}

it('every status is validated, or upstream validates only its metadata', async () => {
  const free = await unchecked(
    (kind) => (withStatus.includes(kind) ? ['status'] : []),
    (kind, object) => updated(kind, statusStrategyOf(kind), object),
  );
  expect(free).toEqual(['/persistentvolumes status', 'batch/cronjobs status', 'networking.k8s.io/servicecidrs status']);
});

/**
 * Kinds whose main endpoint resets the status, and whose status endpoint resets metadata, without declaring it.
 * Upstream: their storage/storage.go and strategy.go
 */
const UNDECLARED_RESETS: ReadonlySet<string> = new Set(['podcertificaterequests']);

/** A status with a value in every field. */
function filledStatus(kind: Kind): unknown {
  return sampleValue(fieldSchema(kind, 'status'));
}

const statusOf = (object: KubeObject | undefined) => object?.['status'];
const specOf = ({ spec }: KubeObject) => spec;

describe.each(withStatus.map((kind) => ({ resource: kind.definition.resource, kind })))('$resource', ({ kind }) => {
  const { definition, context, stored } = kind;
  const { strategy } = definition;
  const filled = () => changed(kind, 'status', filledStatus(kind)) ?? stored;

  it("is created without the client's status", async () => {
    const [sent, silent] = [filled(), changed(kind, 'status', undefined) ?? stored];
    const { config: _old, ...before } = Object(statusOf(structuredClone(sent)));
    for (const object of [sent, silent]) await strategy.prepareForCreate?.(context, object);
    // A kubelet creates its node with a status, except the obsolete config. Upstream: registry/core/node/strategy.go
    expect(statusOf(sent)).toEqual(definition.resource === 'nodes' ? before : statusOf(silent));
  });

  it('keeps its status on update, and the rest on an update of the status', async () => {
    const object = filled();
    await strategy.prepareForUpdate?.(context, object, stored);
    expect(statusOf(object)).toEqual(statusOf(stored));
    const status = filled();
    for (const spoiled of spoiledValues(fieldSchema(kind, 'spec'), specOf(stored))) {
      const other = changed(kind, 'spec', spoiled);
      if (other === undefined || isDeepStrictEqual(specOf(other), specOf(stored))) continue;
      Object.assign(status, { spec: specOf(other) });
      break;
    }
    await statusStrategyOf(kind).prepareForUpdate?.(context, status, stored);
    expect(specOf(status)).toEqual(specOf(stored));
  });

  it('declares the fields that it resets', () => {
    const { resetFields: ofStatus = [] } = statusStrategyOf(kind);
    const declares = strategy.resetFields?.includes('status') ?? false;
    expect([declares, ofStatus.includes('spec')]).toEqual([!UNDECLARED_RESETS.has(definition.resource), true]);
  });

  it('declares on its status endpoint whether that resets labels', async () => {
    const { resetFields = [], prepareForUpdate } = statusStrategyOf(kind);
    const sent = structuredClone(stored);
    sent.metadata.labels = { sent: 'with-the-status' };
    await prepareForUpdate?.(context, sent, stored);
    const declares = ['metadata', 'metadata.labels'].some((path) => resetFields.includes(path));
    const resets = sent.metadata.labels?.['sent'] === undefined;
    expect(declares).toBe(resets && !UNDECLARED_RESETS.has(definition.resource));
  });
});
