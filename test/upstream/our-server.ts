import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { AnyResourceDefinition, UpdatedObjectInfo } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { createApiContainer } from '@apiserver/endpoints-installer';
import {
  createMemoryRestStorage,
  createTestExchange,
  type MemoryRestStorage,
  responseBody,
  testDefinition,
} from '@apiserver/endpoints-installer/testing';

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

/** Serves one kind from memory. It has neither defaults nor validation, as the server of upstream's program. */
export function ourServer(schema: KindSchema): (request: SentRequest) => Promise<SeenResponse> {
  const definition = definitionOf(schema);
  const { group, version } = schema.gvk;
  const codec = compileKind(schema);
  // Upstream's modules lack the defaults.
  const undefaulted = overriding(codec, { applyDefaults: () => undefined });
  const container = createApiContainer({
    admission: { handles: () => false, admit: async () => undefined, validate: async () => undefined },
    authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
    logger: silentLogger,
    codecFor: () => undefaulted,
  });
  const storage = createMemoryRestStorage({ definition, codec });
  container.install({
    group,
    versions: [version],
    resources: [{ definition, storage: likeEtcd(storage, codec), subresources: {} }],
  });
  return async ({ method, url, contentType, accept, body }) => {
    const headers = {
      'user-agent': 'soak/1',
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(accept !== undefined && { accept }),
    };
    const exchange = createTestExchange({
      ...{ method, url, headers, user: { name: 'u', groups: [], extra: {} } },
      ...(body !== undefined && { body: Buffer.from(body, 'base64') }),
    });
    const handler = container.handlerFor(exchange);
    if (handler === undefined) throw new TypeError(`no handler for ${url}`);
    const response = await handler(exchange);
    return {
      status: 'status' in response ? response.status : 0,
      contentType: exchange.responseHeaders.get('content-type') ?? '',
      warnings: exchange.warnings,
      body: Buffer.from(await responseBody(response)).toString('base64'),
    };
  };
}

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

function definitionOf({ gvk, listKind = `${gvk.kind}List`, resource, ...rest }: KindSchema): AnyResourceDefinition {
  const schema = { gvk, listKind, ...(resource && { resource }), ...rest };
  return testDefinition({
    group: gvk.group,
    kind: gvk.kind,
    listKind,
    resource: resource?.plural ?? '',
    singular: gvk.kind.toLowerCase(),
    shortNames: [],
    scope: resource?.namespaced === false ? 'Cluster' : 'Namespaced',
    versions: [{ version: gvk.version, schema }],
    hubVersion: gvk.version,
    storageVersion: gvk.version,
    keyPrefix: resource?.plural ?? '',
  });
}
