import { Buffer } from 'node:buffer';
import {
  type CreateOptions,
  collectionPath,
  type DeleteOptions,
  type GroupVersionResource,
  type KubeObject,
  type ListOptions,
  listOptionsQuery,
  objectPath,
  type Status,
  type UpdateOptions,
} from '@apiserver/apimachinery';
import { parseJsonText, stringifyJson } from '@apiserver/apimachinery/codec/json';
import { newInternalError, StatusError } from '@apiserver/apimachinery/errors';
import {
  type ApiResponse,
  type ApplyOptions,
  type ChunksResponse,
  type Handler,
  type LoopbackClient,
  loadedObject,
  type ObjectPatch,
  type ResourceClient,
  type StoredList,
  type StoredObject,
  type ValueResponse,
  type WatchSource,
} from '@apiserver/apiserver-contracts';
import { remoteList, watchOfBody } from '@apiserver/rest-client';
import { ServerExchange } from '../serving/transport/server-exchange.js';
import { type LoopbackCall, LoopbackRequest } from './loopback-request.js';

/** Options of an update. */
type SubresourceUpdate = UpdateOptions & { readonly subresource?: string };

const APPLY = 'application/apply-patch+yaml';

/** As many as a REST client takes. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** The target of a loopback client. */
export interface LoopbackClientOptions {
  /** The full chain. */
  readonly handler: Handler;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** See ResourceClient. Default: true. */
  readonly streamsLists?: boolean;
}

/**
 * A client for code in the server's own process: the full chain as system:apiserver, without sockets and encoding.
 * Objects that come back are frozen and shared with the store's cache.
 */
export function createLoopbackClient(options: LoopbackClientOptions): LoopbackClient {
  return {
    resource: <T extends KubeObject>(resource: GroupVersionResource): ResourceClient<T> =>
      new LoopbackResourceClient<T>(options, resource),
  };
}

/**
 * Reads the JSON response of a path, such as a discovery document. Throws the StatusError of a failed response.
 * `accept`: the media type; default: the server's choice.
 */
export async function readLoopbackPath(
  options: LoopbackClientOptions,
  path: string,
  accept?: string,
): Promise<unknown> {
  const { value } = await readJson(options, { method: 'GET', path, ...(accept === undefined ? {} : { accept }) });
  return value;
}

/** A JSON document, and the tag of its content. */
export interface TaggedDocument {
  readonly value: unknown;
  readonly etag: string;
}

/**
 * Reads the JSON document of a path. Undefined if it is the known one, whose tag is `ifNoneMatch`: then nothing is
 * parsed. Throws the StatusError of a failed response.
 */
export async function readLoopbackDocument(
  options: LoopbackClientOptions,
  path: string,
  ifNoneMatch?: string,
): Promise<TaggedDocument | undefined> {
  const call = { method: 'GET', path, ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }) };
  const { status, value, etag } = await readJson(options, call);
  return status === 304 ? undefined : { value, etag };
}

async function readJson(
  options: LoopbackClientOptions,
  call: LoopbackCall,
): Promise<TaggedDocument & { readonly status: number }> {
  const exchange = new ServerExchange(new LoopbackRequest(call), options.now());
  let status = 0;
  try {
    const response = await options.handler(exchange);
    status = statusOf(response);
    const etag = exchange.responseHeaders.get('etag') ?? '';
    const value = status === 304 ? undefined : valueResponseOf(await decoded(response)).value;
    return { status, value, etag };
  } finally {
    exchange.finish({ status, bytesWritten: 0, aborted: status === 0 });
  }
}

/**
 * Posts a JSON text to a path that an aggregated server may serve, and resolves with the body of a success. Throws the
 * StatusError of a failed response, and `signal.reason`.
 */
export async function postToLoopbackPath(
  options: LoopbackClientOptions,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
  json: string,
  signal: AbortSignal,
): Promise<string> {
  const content = { mediaType: 'application/json', bytes: Buffer.from(json) };
  const exchange = new ServerExchange(new LoopbackRequest({ method: 'POST', path, query, content }), options.now());
  const abort = () => exchange.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let status = 0;
  try {
    signal.throwIfAborted();
    const response = await options.handler(exchange);
    status = statusOf(response);
    const body = await bodyOf(response);
    if (body === undefined || status >= 400) return stringifyJson(valueResponseOf(withBody(response, body)).value);
    return body.toString();
  } finally {
    signal.removeEventListener('abort', abort);
    exchange.finish({ status, bytesWritten: 0, aborted: status === 0 });
  }
}

/** The body of a response, whole; undefined if it is a value or no body. Throws if it is larger than the limit. */
async function bodyOf(response: ApiResponse): Promise<Buffer | undefined> {
  if (response.type === 'bytes') return Buffer.from(response.body ?? []);
  if (response.type !== 'chunks') return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw newInternalError(new Error(`the body is larger than ${MAX_BODY_BYTES} bytes`));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function withBody(response: ApiResponse, body: Buffer | undefined): ApiResponse {
  return response.type === 'chunks' ? { type: 'bytes', status: response.status, body } : response;
}

/** A class, because controllers make a client for each resource of the server. */
class LoopbackResourceClient<T extends KubeObject> implements ResourceClient<T> {
  readonly resource: GroupVersionResource;
  readonly streamsLists: boolean;
  readonly #options: LoopbackClientOptions;

  constructor(options: LoopbackClientOptions, resource: GroupVersionResource) {
    this.streamsLists = options.streamsLists ?? true;
    this.#options = options;
    this.resource = resource;
  }

  async get(namespace: string, name: string): Promise<T> {
    return this.#object({ method: 'GET', path: this.#pathOf(namespace, name) });
  }

  async list(namespace: string, list: ListOptions = {}): Promise<StoredList<T>> {
    const call = { method: 'GET', path: this.#path(namespace), query: listOptionsQuery(list) };
    const { value } = await send(this.#options, call);
    return isStoredList(value) ? (value as StoredList<T>) : remoteList<T>(value);
  }

  async watch(namespace: string, list: ListOptions = {}): Promise<WatchSource<T>> {
    const query = listOptionsQuery({ ...list, watch: true });
    return (await openWatch(this.#options, { method: 'GET', path: this.#path(namespace), query })) as WatchSource<T>;
  }

  async create(namespace: string, body: T, create?: CreateOptions): Promise<T> {
    const query = create === undefined ? {} : { query: writeQuery(create) };
    return this.#object({ method: 'POST', path: this.#path(namespace), ...query, body });
  }

  async update(namespace: string, body: T, { subresource = '', ...update }: SubresourceUpdate = {}): Promise<T> {
    const path = this.#pathOf(namespace, body.metadata.name ?? '', subresource);
    return this.#object({ method: 'PUT', path, query: writeQuery(update), body });
  }

  async delete(namespace: string, name: string, deletion?: DeleteOptions): Promise<void> {
    await send(this.#options, { method: 'DELETE', path: this.#pathOf(namespace, name), ...deleteBody(deletion) });
  }

  async deleteCollection(namespace: string, deletion?: DeleteOptions, list: ListOptions = {}): Promise<void> {
    const query = listOptionsQuery(list);
    await send(this.#options, { method: 'DELETE', path: this.#path(namespace), query, ...deleteBody(deletion) });
  }

  async patch(namespace: string, name: string, { type, body, subresource = '' }: ObjectPatch): Promise<T> {
    const content = { mediaType: `application/${type}-patch+json`, bytes: Buffer.from(stringifyJson(body)) };
    return this.#object({ method: 'PATCH', path: this.#pathOf(namespace, name, subresource), content });
  }

  async apply(
    namespace: string,
    body: KubeObject,
    { subresource = '', fieldManager, force = false }: ApplyOptions,
  ): Promise<T> {
    const path = this.#pathOf(namespace, body.metadata.name ?? '', subresource);
    const query = new URLSearchParams({ fieldManager, force: String(force) });
    const content = { mediaType: APPLY, bytes: Buffer.from(stringifyJson(body)) };
    return this.#object({ method: 'PATCH', path, query, content });
  }

  #path(namespace: string): string {
    return collectionPath(this.resource, namespace);
  }

  #pathOf(namespace: string, name: string, subresource = ''): string {
    return objectPath(this.resource, { namespace, name, subresource });
  }

  /** The caller declares the kind at a path; it is unknown here. */
  async #object(call: LoopbackCall): Promise<T> {
    const { value } = await send(this.#options, call);
    return (isStoredObject(value) ? await loadedObject(value) : value) as T;
  }
}

function writeQuery(options: CreateOptions | UpdateOptions): URLSearchParams {
  const query = new URLSearchParams();
  for (const value of options.dryRun ?? []) query.append('dryRun', value);
  if (options.fieldManager !== undefined) query.set('fieldManager', options.fieldManager);
  if (options.fieldValidation !== undefined) query.set('fieldValidation', options.fieldValidation);
  return query;
}

function deleteBody(options: DeleteOptions | undefined): { readonly body?: KubeObject } {
  return options === undefined ? {} : { body: { ...options, apiVersion: 'v1', kind: 'DeleteOptions', metadata: {} } };
}

async function send(options: LoopbackClientOptions, call: LoopbackCall): Promise<ValueResponse> {
  const exchange = new ServerExchange(new LoopbackRequest(call), options.now());
  let status = 0;
  try {
    const response = await options.handler(exchange);
    status = statusOf(response);
    return valueResponseOf(await decoded(response));
  } finally {
    exchange.finish({ status, bytesWritten: 0, aborted: status === 0 });
  }
}

/** The server of an APIService responds with JSON. Its failures stay as they are. */
async function decoded(response: ApiResponse): Promise<ApiResponse> {
  const body = await bodyOf(response);
  const status = statusOf(response);
  if (body === undefined || body.length === 0 || status >= 400) return withBody(response, body);
  return { type: 'value', status, value: Object(parseJsonText(body.toString())) };
}

/** The exchange of a watch lasts until either side ends it. */
async function openWatch(options: LoopbackClientOptions, call: LoopbackCall): Promise<WatchSource> {
  const exchange = new ServerExchange(new LoopbackRequest(call), options.now());
  const finish = (status: number) => exchange.finish({ status, bytesWritten: 0, aborted: false });
  try {
    const response = await options.handler(exchange);
    // The server of an APIService sends lines. The end of the exchange ends its response.
    if (response.type === 'chunks' && response.status < 400) {
      const source = watchOfBody(asyncChunks(response), new AbortController());
      return finishingWatch(source, exchange, () => finish(200));
    }
    const { value } = valueResponseOf(await decoded(response));
    if (!isWatchSource(value)) throw newInternalError(new Error(`${call.path} cannot be watched`));
    return finishingWatch(value, exchange, () => finish(200));
  } catch (error) {
    finish(0);
    throw error;
  }
}

async function* asyncChunks({ chunks }: ChunksResponse): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function finishingWatch(source: WatchSource, exchange: ServerExchange, finish: () => void): WatchSource {
  let end: (() => void) | undefined;
  let aborted = false;
  exchange.onAbort(() => {
    aborted = true;
    source.close();
    end?.();
    finish();
  });
  return {
    start: (sink) => {
      // The server may have begun to shut down while the watch was opened.
      if (aborted) return sink.end();
      end = () => sink.end();
      source.start({
        ...(sink.followsRestore && { followsRestore: true }),
        event: (event) => sink.event(event),
        end: (error) => {
          end = undefined;
          finish();
          sink.end(error);
        },
      });
    },
    close: () => {
      end = undefined;
      source.close();
      finish();
    },
  };
}

function statusOf(response: ApiResponse): number {
  return response.type === 'upgrade' ? 101 : response.status;
}

/** Throws the StatusError of a failed response. */
function valueResponseOf(response: ApiResponse): ValueResponse {
  if (response.type === 'value') {
    const { value } = response;
    if (response.status >= 400 && isStatus(value)) throw new StatusError(value);
    return response;
  }
  throw errorOf(response);
}

/** Filters reject requests with bytes: a Status or text. */
function errorOf(response: Exclude<ApiResponse, ValueResponse>): Error {
  const text = response.type === 'bytes' ? Buffer.from(response.body ?? []).toString() : '';
  try {
    const parsed: unknown = JSON.parse(text);
    if (isStatus(parsed)) return new StatusError(parsed);
  } catch {
    // It is text.
  }
  return newInternalError(new Error(`unexpected response ${statusOf(response)} in process: ${text.trim()}`));
}

function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'status' in value && 'code' in value;
}

function isStoredObject(value: ValueResponse['value']): value is StoredObject {
  return 'wire' in value && typeof value.wire === 'function';
}

/** Unlike a list in JSON, whose version is in its metadata. */
function isStoredList(value: ValueResponse['value']): value is StoredList {
  return 'items' in value && !('metadata' in value);
}

function isWatchSource(value: ValueResponse['value']): value is WatchSource {
  return 'start' in value && typeof value.start === 'function';
}
