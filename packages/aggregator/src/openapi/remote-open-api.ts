import type { APIService } from '@apiserver/api/apiregistration/v1';
import { parseJsonText } from '@apiserver/apimachinery/codec/json';
import { goField, isMembers } from '@apiserver/apimachinery/json';
import type { Handler } from '@apiserver/apiserver-contracts';
import { runWorkQueue } from '@apiserver/component-base/work-queue';
import { loadRemoteSpecConverter, type RemoteOpenApiDocuments } from '@apiserver/endpoints-installer';
import { isAvailable } from '../api-service/conditions.js';
import { followRemoteServices } from '../api-service/follow-remote-services.js';
import { boundedDocument, MAX_PARSED_BYTES } from '../proxy/bounded-document.js';
import type { RemoteReaderOptions } from '../proxy/remote-reader-options.js';
import { FIRST_READ_MS, READER, REFRESH_MS, VERSION_2, version2Request } from './document-reads.js';

const ROOT = '/openapi/v3';
/** Servers that are read at once. */
const WORKERS = 10;

/** A server without documents of version 3. */
interface LegacyServer {
  /** Of its document; "" if it has none. */
  readonly etag: string;
  /** Serves the converted document; undefined until it has been read. */
  readonly handler: Handler | undefined;
}

/** Dependencies of `RemoteOpenApi`. */
export interface RemoteOpenApiOptions extends RemoteReaderOptions {
  /** Passes requests on to the server of an APIService. */
  passTo(apiService: APIService): Handler | undefined;
}

/**
 * The OpenAPI documents of version 3 that remote servers list. The lists are read soon after an APIService has become
 * available, and every minute; the last one stays while its server does not respond. The document of a server that only
 * has version 2 is converted, and served here.
 * Upstream: k8s.io/kube-aggregator/pkg/controllers/openapiv3
 */
export class RemoteOpenApi implements Pick<RemoteOpenApiDocuments, 'urls' | 'handlerFor'> {
  readonly #options: RemoteOpenApiOptions;
  /** By name of the APIService: URLs by name of the document. */
  readonly #listed = new Map<string, ReadonlyMap<string, string>>();
  /** By name of the APIService. Its server is never asked for version 3 again. Upstream: isLegacyAPIService */
  readonly #legacy = new Map<string, LegacyServer>();
  readonly #listeners: (() => void)[] = [];

  constructor(options: RemoteOpenApiOptions) {
    this.#options = options;
  }

  /** Of several servers that list a name, the first one serves it. */
  urls(): ReadonlyMap<string, string> {
    return new Map([...this.#listed.values()].reverse().flatMap((listed) => [...listed]));
  }

  handlerFor(name: string): Handler | undefined {
    for (const [apiServiceName, listed] of this.#listed) {
      const handler = listed.has(name) ? this.#legacy.get(apiServiceName)?.handler : undefined;
      if (handler !== undefined) return handler;
      const apiService = listed.has(name) ? this.#options.informer.get('', apiServiceName) : undefined;
      if (apiService !== undefined) return this.#options.passTo(apiService);
    }
    return undefined;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Starts reading; ends when `signal` aborts. */
  run(signal: AbortSignal): void {
    const { informer, clock, logger } = this.#options;
    const queue = runWorkQueue({
      name: 'open_api_v3_aggregation_controller',
      sync: async (name) => {
        if (await this.#read(name)) queue.addAfter(name, REFRESH_MS);
      },
      longestRetryMilliseconds: REFRESH_MS,
      workers: WORKERS,
      clock,
      logger,
      signal,
    });
    const served = (name: string): void => {
      if (!this.#listed.has(name)) queue.addAfter(name, FIRST_READ_MS);
    };
    followRemoteServices(informer, { served, gone: (name) => this.#forget(name) }, signal);
  }

  #forget(name: string): void {
    this.#legacy.delete(name);
    if (this.#listed.delete(name)) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** False for an APIService without a server. Never rejects. */
  async #read(name: string): Promise<boolean> {
    const { informer } = this.#options;
    const apiService = informer.get('', name);
    if (apiService?.spec.service === undefined) return false;
    if (!isAvailable(apiService)) return true;
    const urls = await (this.#legacy.has(name) ? this.#convert(apiService) : this.#list(apiService));
    if (informer.get('', name)?.spec.service === undefined) {
      this.#forget(name);
      return false;
    }
    if (urls === undefined) return true;
    this.#listed.set(name, urls);
    this.#tell();
    return true;
  }

  /** Undefined without a new list. Never rejects. */
  async #list(apiService: APIService): Promise<ReadonlyMap<string, string> | undefined> {
    const response = await this.#options
      .getDocument(apiService, ROOT, { accept: 'application/json', user: READER, maxBytes: MAX_PARSED_BYTES })
      .catch(() => undefined);
    if (response?.status === 200) return urlsIn(response.body);
    if (response?.status !== 404) return undefined;
    this.#legacy.set(apiService.metadata.name ?? '', { etag: '', handler: undefined });
    return this.#convert(apiService);
  }

  /** The list of the document that is converted. Undefined without a new document. Never rejects. */
  async #convert(apiService: APIService): Promise<ReadonlyMap<string, string> | undefined> {
    const { clock, logger, getDocument } = this.#options;
    const { metadata, spec } = apiService;
    const known = this.#legacy.get(metadata.name ?? '')?.etag ?? '';
    try {
      const { status, etag, body } = await getDocument(apiService, VERSION_2, version2Request(known));
      if (status !== 200) return undefined;
      const convert = await loadRemoteSpecConverter();
      const name = `apis/${spec.group ?? ''}/${spec.version ?? ''}`;
      const { url, handler } = await convert({ text: body, name, now: () => clock.now() });
      this.#legacy.set(metadata.name ?? '', { etag, handler });
      return new Map([[name, url]]);
    } catch (error) {
      logger.v(4)?.info('Converting an OpenAPI document failed', { apiService: metadata.name, error: String(error) });
      return undefined;
    }
  }
}

/** Undefined if the text is no list of documents, or one of too many. */
function urlsIn(text: string): ReadonlyMap<string, string> | undefined {
  try {
    boundedDocument(text);
    const document = parseJsonText(text);
    if (!isMembers(document)) return undefined;
    const paths = goField(document, 'paths') ?? {};
    if (typeof paths !== 'object' || Array.isArray(paths)) return undefined;
    return new Map(Object.entries(paths).map(([name, one]) => [name, urlOf(one)]));
  } catch {
    return undefined;
  }
}

/** Throws a TypeError for anything but a path's object. */
function urlOf(value: unknown): string {
  if (value === null) return '';
  const serverRelativeURL = goField(Object(value), 'serverRelativeURL') ?? '';
  if (typeof value !== 'object' || Array.isArray(value) || typeof serverRelativeURL !== 'string') {
    throw new TypeError('no URL of a document');
  }
  return serverRelativeURL;
}
