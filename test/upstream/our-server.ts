import { fieldDescriptions } from '@apiserver/api';
import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import * as cborCodec from '@apiserver/apimachinery/codec/cbor';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  AnyResourceDefinition,
  InstalledResource,
  ResourceVersionDefinition,
  Strategy,
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
import { defaultColumns } from '@apiserver/resource-kit';
import { jsonOfCbor } from './json-of-cbor.ts';

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
  /** Further versions of the kind, which convert by their JSON. */
  readonly others: readonly KindSchema[];
}

/** A server of one kind. */
export interface OurServer extends AsyncDisposable {
  serve(request: SentRequest): Promise<SeenResponse>;
}

/** Serves one kind from memory. It has neither defaults nor validation, as the server of upstream's program. */
export function ourServer(schema: KindSchema, { stored, cbor, others }: ServerOptions): OurServer {
  const { group, version } = schema.gvk;
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
  const resource = stored ? storedResource(schema, others, resources) : plainResource(schema, codec);
  container.install({ group, versions: [version, ...others.map(({ gvk }) => gvk.version)], resources: [resource] });
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

/** A resource, and its status if it has one, over the generic store. */
function storedResource(
  schema: KindSchema,
  others: readonly KindSchema[],
  resources: AsyncDisposableStack,
): InstalledResource {
  const store = resources.use(createMemoryStore());
  const provider = resources.use(createStorageProvider({ store, clock: systemClock, codecFor: undefaulted, root: '' }));
  const hasStatus = schema.schema.fields.some(({ name }) => name === 'status');
  const definition = {
    ...definitionOf(schema, others),
    strategy: { ...plainStrategy, ...(hasStatus && ofObject) },
    subresources: hasStatus ? { status: { strategy: { ...plainStrategy, ...ofStatus } } } : {},
  };
  let uids = 0;
  const newUid = () => `00000000-0000-4000-8000-${(++uids).toString(16).padStart(12, '0')}`;
  return installedResource(definition, provider, { clock: systemClock, newUid, random: () => 0 });
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
    object.status = old.status;
  },
};

const ofStatus: Partial<Strategy> = {
  resetFields: ['spec'],
  prepareForUpdate: (_context, object, old) => {
    const kept = new Set(['apiVersion', 'kind', 'metadata', 'status']);
    const [changed, before] = [object as Record<string, unknown>, old as Record<string, unknown>];
    for (const name of new Set([...Object.keys(changed), ...Object.keys(before)])) {
      if (!kept.has(name)) changed[name] = before[name];
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
