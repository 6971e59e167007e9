import { fieldDescriptions } from '@apiserver/api';
import type { LabelSelector } from '@apiserver/api/meta/v1';
import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import * as cborCodec from '@apiserver/apimachinery/codec/cbor';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import type {
  AnyResourceDefinition,
  InstalledResource,
  ResourceVersionDefinition,
  Strategy,
  SubresourceDefinition,
  UpdatedObjectInfo,
} from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { createApiContainer } from '@apiserver/endpoints-installer';
import {
  createMemoryRestStorage,
  createTestExchange,
  type MemoryRestStorage,
  responseBody,
  testDefinition,
} from '@apiserver/endpoints-installer/testing';
import { createStorageProvider, installedResource } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { defaultColumns, type Scalable, scaleSubresource } from '@apiserver/resource-kit';
import { jsonOfCbor } from './forms/json-of-cbor.ts';
import { servedConversions } from './served-conversions.ts';

/** A request of a case. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** Base64. */
  readonly body?: string;
}

/** A response, as far as it is compared. */
export interface SeenResponse {
  readonly status: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  /** Base64. */
  readonly body: string;
}

/** The layers below the handlers, and the supported forms. */
export interface ServerOptions {
  /** True for the generic store, with a strategy that accepts everything; otherwise a map without strategies. */
  readonly stored: boolean;
  readonly cbor: boolean;
  /** Further versions of the kind, which convert by their JSON unless the server has conversions of its own. */
  readonly others: readonly KindSchema[];
}

/** A server of one kind. */
export interface OurServer extends AsyncDisposable {
  serve(request: SentRequest): Promise<SeenResponse>;
}

/** Serves one kind from memory. It has neither defaults nor validation, as the server of upstream's program. */
export function ourServer(schema: KindSchema, { stored, cbor, others }: ServerOptions): OurServer {
  const codec = codecOf(schema);
  const container = createApiContainer({
    admission: { handles: () => false, admit: async () => undefined, validate: async () => undefined },
    authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
    logger: silentLogger,
    codecFor: undefaulted,
    fieldDescription: describeField,
    ...(cbor && { cbor: cborCodec }),
  });
  const resources = new AsyncDisposableStack();
  const installed = stored ? storedResources(schema, others, resources) : [plainResource(schema, codec)];
  for (const resource of installed) {
    const { group, versions } = resource.definition;
    container.install({ group, versions: versions.map(({ version }) => version), resources: [resource] });
  }
  const serve: OurServer['serve'] = async ({ method, url, contentType, accept, body }) => {
    const headers = {
      'user-agent': 'soak/1',
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(accept !== undefined && { accept }),
    };
    const exchange = createTestExchange({
      method,
      url,
      headers,
      user: { name: 'u', groups: [], extra: {} },
      ...(body !== undefined && { body: Buffer.from(body, 'base64') }),
    });
    const handler = container.handlerFor(exchange);
    if (handler === undefined) throw new TypeError(`no handler for ${url}`);
    const response = await handler(exchange);
    const type = exchange.responseHeaders.get('content-type') ?? '';
    return {
      status: 'status' in response ? response.status : 0,
      contentType: type,
      warnings: exchange.warnings,
      body: Buffer.from(legible(type, await responseBody(response))).toString('base64'),
    };
  };
  return { serve, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function legible(type: string, body: Uint8Array): string | Uint8Array {
  return type === 'application/cbor' ? jsonOfCbor(body) : body;
}

function plainResource(schema: KindSchema, codec: KindCodec): InstalledResource {
  const definition = definitionOf(schema);
  return { definition, storage: likeEtcd(createMemoryRestStorage({ definition, codec }), codec), subresources: {} };
}

/** A resource over the generic store, with its status and scale if it has them, and its forms in other groups. */
function storedResources(
  schema: KindSchema,
  others: readonly KindSchema[],
  resources: AsyncDisposableStack,
): readonly InstalledResource[] {
  const store = resources.use(createMemoryStore());
  const provider = resources.use(createStorageProvider({ store, clock: systemClock, codecFor: undefaulted, root: '' }));
  const hasStatus = schema.schema.fields.some(({ name }) => name === 'status');
  const strategy = { ...plainStrategy, ...(hasStatus && ofObject) };
  const inGroup = others.filter(({ gvk }) => gvk.group === schema.gvk.group);
  const elsewhere = others.filter((other) => !inGroup.includes(other));
  const definition = {
    ...definitionOf(schema, inGroup),
    otherVersions: elsewhere.map((other) => convertedVersion(other, schema)),
    strategy,
    subresources: {
      ...(hasStatus && { status: { strategy: { ...plainStrategy, ...ofStatus } } }),
      ...(isScalable(schema) && { scale: scaleOf(schema, strategy) }),
    },
  };
  const views = elsewhere.map((other) => {
    const versions = [convertedVersion(other, schema)];
    return { ...definitionOf(other), versions, strategy, storedAs: definition };
  });
  let uids = 0;
  const newUid = () => `00000000-0000-4000-8000-${(++uids).toString(16).padStart(12, '0')}`;
  const options = { clock: systemClock, newUid, random: () => 0 };
  return [definition, ...views].map((one) => installedResource(one, provider, options));
}

/** Reports whether both servers have a scale of this kind. */
export function isScalable({ gvk: { group, kind } }: KindSchema): boolean {
  return group === 'apps' && ['Deployment', 'ReplicaSet', 'StatefulSet'].includes(kind);
}

type Workload = Scalable & { spec: { selector?: LabelSelector } };

function scaleOf({ gvk, resource }: KindSchema, strategy: Strategy): SubresourceDefinition {
  return scaleSubresource<Workload>({
    resource: { group: gvk.group, resource: resource?.plural ?? '' },
    strategy,
    selectorText: ({ spec }) => labelSelectorAsSelector(spec.selector).toString(),
  }) as SubresourceDefinition;
}

const plainStrategy: Strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: () => [],
  validateUpdate: () => [],
  generateName: (base) => `${base}made`,
};

type WithStatus = KubeObject & { status?: unknown };

const ofObject: Partial<Strategy> = {
  resetFields: ['status'],
  prepareForCreate: (_context, object: WithStatus) => {
    delete object.status;
  },
  prepareForUpdate: (_context, object: WithStatus, old: WithStatus) => {
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
  },
};

const ofStatus: Partial<Strategy> = {
  resetFields: ['spec'],
  prepareForUpdate: (_context, object, old) => {
    const kept = new Set(['apiVersion', 'kind', 'metadata', 'status']);
    const [changed, before] = [object as Record<string, unknown>, old as Record<string, unknown>];
    for (const name of new Set([...Object.keys(changed), ...Object.keys(before)])) {
      if (kept.has(name)) continue;
      if (before[name] === undefined) delete changed[name];
      else changed[name] = before[name];
    }
  },
};

const describeField = fieldDescriptions();
const codecs = new Map<KindSchema, KindCodec>();

function codecOf(schema: KindSchema): KindCodec {
  const codec = codecs.get(schema) ?? compileKind(schema);
  codecs.set(schema, codec);
  return codec;
}

/** Upstream's modules lack the defaults. */
function undefaulted(schema: KindSchema): KindCodec {
  const known = undefaultedCodecs.get(schema) ?? overriding(codecOf(schema), { applyDefaults: () => undefined });
  undefaultedCodecs.set(schema, known);
  return known;
}

const undefaultedCodecs = new Map<KindSchema, KindCodec>();

/** An object with other methods in the place of some. */
function overriding<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name) => {
      const method: unknown = Reflect.get(Object.hasOwn(methods, name) ? methods : target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
}

/** A store with objects in protobuf that keeps the fields that no write changes, as strategies do. */
function likeEtcd(storage: MemoryRestStorage, codec: KindCodec): MemoryRestStorage {
  const atRest = (object: KubeObject) => codec.decodeProtobuf(codec.encodeProtobuf(object)).object;
  const create: MemoryRestStorage['create'] = (context, object, validate, options) =>
    storage.create(context, atRest(object), validate, options);
  const update: MemoryRestStorage['update'] = (context, request) => {
    const updatedObject: UpdatedObjectInfo<KubeObject>['updatedObject'] = async (given, old) => {
      const object = atRest(await request.objectInfo.updatedObject(given, old));
      if (old === undefined) return object;
      const { uid, creationTimestamp } = old.metadata;
      const identity = { ...(uid && { uid }), ...(creationTimestamp && { creationTimestamp }) };
      return { ...object, metadata: { ...object.metadata, ...identity } };
    };
    return storage.update(context, { ...request, objectInfo: { updatedObject } });
  };
  return overriding(storage, { create, update });
}

function definitionOf(
  { gvk, listKind = `${gvk.kind}List`, resource, ...rest }: KindSchema,
  others: readonly KindSchema[] = [],
): AnyResourceDefinition {
  const schema = { gvk, listKind, ...(resource && { resource }), ...rest };
  return testDefinition({
    group: gvk.group,
    kind: gvk.kind,
    listKind,
    resource: resource?.plural ?? '',
    singular: gvk.kind.toLowerCase(),
    shortNames: [],
    scope: resource?.namespaced === false ? 'Cluster' : 'Namespaced',
    versions: [{ version: gvk.version, schema }, ...others.map((other) => convertedVersion(other, schema))],
    hubVersion: gvk.version,
    storageVersion: gvk.version,
    keyPrefix: resource?.plural ?? '',
    columns: defaultColumns,
    emptyRowsAreNull: true,
  });
}

function convertedVersion(schema: KindSchema, hub: KindSchema): ResourceVersionDefinition {
  const served = servedConversions(schema, hub);
  if (served !== undefined) return { version: schema.gvk.version, schema, ...served };
  const as = (to: KindSchema) => (object: KubeObject) => {
    const { managedFields, ...metadata } = object.metadata;
    const json = cloneJson({ ...object, metadata, apiVersion: formatGroupVersion(to.gvk) });
    const converted = codecOf(to).fromJson(json as never, 'Ignore').object;
    // Written conversions keep metadata as they are: an empty list of managers stays one.
    if (managedFields !== undefined) converted.metadata.managedFields = managedFields;
    return converted;
  };
  return { version: schema.gvk.version, schema, toHub: as(hub), fromHub: as(schema) };
}
