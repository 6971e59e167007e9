import { Buffer } from 'node:buffer';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import { JoinedSignal } from '@apiserver/apimachinery/clock';
import { isStatusError, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Handler, Logger, UserInfo } from '@apiserver/apiserver-contracts';
import type { BackendTransport } from '@apiserver/proxy';
import { isAvailable } from '../api-service/conditions.js';
import { type DocumentRequest, type FetchedDocument, fetchDocument } from './fetch-document.js';
import { KeptTransports, type ProxyCertificate } from './kept-transports.js';
import { plainResponse } from './plain-response.js';
import { exchangeAs } from './remote-request.js';
import type { ServiceAddress, ServiceResolver, ServiceTarget } from './service-resolver.js';
import { sortedQuery } from './sorted-query.js';

const CONNECT_TIMEOUT_MS = 30_000;
/** Time that a server has for the discovery of a version. Upstream: aggregatedDiscoveryTimeout */
const DISCOVERY_TIMEOUT_MS = 5_000;
/** Segments of such a path. */
const DISCOVERY_SEGMENTS = 3;

/** Dependencies of `RemoteApiServices`. */
export interface RemoteApiServicesOptions {
  readonly resolve: ServiceResolver;
  readonly certificate: () => ProxyCertificate;
  readonly rejectRedirects: boolean;
  /** Default: true. */
  readonly sendsUid?: boolean | undefined;
  readonly logger: Logger;
}

/** An APIService with a service, and its transport. */
interface Remote {
  readonly apiService: APIService;
  readonly target: ServiceTarget;
  readonly transport: BackendTransport;
}

/**
 * Proxies requests to the servers of APIServices with a service, with the identity of the user.
 * Upstream: k8s.io/kube-aggregator/pkg/apiserver/handler_proxy.go
 */
export class RemoteApiServices {
  readonly #options: RemoteApiServicesOptions;
  /** By `group/version`; the core group is `v1`. */
  readonly #remotes = new Map<string, Remote>();
  readonly #transports: KeptTransports;

  constructor(options: RemoteApiServicesOptions) {
    this.#options = options;
    this.#transports = new KeptTransports({ certificate: options.certificate, connectTimeout: CONNECT_TIMEOUT_MS });
  }

  /** Applies the latest state of an APIService. Requests for one without a service are served locally. */
  changed(apiService: APIService): void {
    const target = targetOf(apiService);
    if (target === undefined) {
      this.removed(apiService);
      return;
    }
    const transport = this.#transports.transportTo(apiService, target);
    this.#remotes.set(keyOf(apiService), { apiService, target, transport });
  }

  removed(apiService: APIService): void {
    this.#remotes.delete(keyOf(apiService));
    this.#transports.forget(apiService);
  }

  /** Undefined if only this process serves the path. */
  handlerFor(path: string): Handler | undefined {
    if (this.#remotes.size === 0) return undefined;
    const [, root = '', ...names] = path.split('/');
    const key = root === 'apis' ? `${names[0]}/${names[1]}` : root === 'api' ? 'v1' : '';
    const remote = this.#remotes.get(key);
    return remote && ((exchange) => this.#pass(exchange, remote));
  }

  /** Passes requests for any path on to the server of an APIService; undefined if it has none. */
  passTo(apiService: APIService): Handler | undefined {
    const remote = this.#remotes.get(keyOf(apiService));
    return remote && ((exchange) => this.#pass(exchange, remote));
  }

  /**
   * Gets a document from the server of an APIService with an identity of the aggregator. Throws an Error if it
   * cannot.
   */
  async getDocument(
    apiService: APIService,
    path: string,
    options: Pick<DocumentRequest, 'accept' | 'user' | 'headers' | 'timeoutMilliseconds'>,
  ): Promise<FetchedDocument> {
    const target = targetOf(apiService);
    if (target === undefined) throw new Error(`${apiService.metadata.name} is served here`);
    const kept = this.#remotes.get(keyOf(apiService))?.transport;
    const transport = kept ?? this.#transports.newTransport(apiService, target);
    return fetchDocument({ address: this.#options.resolve(target), transport, path, ...options });
  }

  /** The reason why a service has no address is logged, not told to the client. */
  #addressOf(target: ServiceTarget): ServiceAddress | undefined {
    try {
      return this.#options.resolve(target);
    } catch (error) {
      this.#options.logger.error(error, 'Error resolving a service', { service: `${target.namespace}/${target.name}` });
      return undefined;
    }
  }

  async #pass(exchange: Exchange, { apiService, target, transport }: Remote): Promise<ApiResponse> {
    const { user } = exchange.context;
    if (!isAvailable(apiService)) return plainResponse(exchange, 503, 'service unavailable');
    if (user === undefined) return plainResponse(exchange, 500, 'missing user');
    const { path, rawQuery } = exchange.request;
    const address = this.#addressOf(target);
    if (address === undefined) return plainResponse(exchange, 503, 'service unavailable');
    try {
      const { hostname, port } = address;
      const { proxyRequest } = await import('@apiserver/proxy');
      const location = {
        scheme: 'https',
        hostname,
        port: String(port),
        path,
        rawQuery: sortedQuery(rawQuery),
      } as const;
      const before = [...exchange.responseHeaders.entries()];
      const shown = this.#options.sendsUid === false ? withoutUid(user) : user;
      const passed = exchangeAs(exchange, shown, {}, isDiscovery(exchange) ? untilLate(exchange) : undefined);
      const response = await proxyRequest(passed, { location, transport, upgradeRequired: false, isIdentified: true });
      return this.#options.rejectRedirects && isRedirect(exchange, response)
        ? redirectRefused(exchange, before)
        : response;
    } catch (error) {
      if (exchange.signal.aborted) throw error;
      const { namespace, name } = target;
      this.#options.logger.error(error, 'Error reaching an aggregated API', { service: `${namespace}/${name}` });
      // A server that does not upgrade fails with a Status of its own.
      return plainResponse(exchange, 503, isStatusError(error) ? error.message : 'service unavailable');
    }
  }
}

/** The service of an APIService; undefined if it has none. */
export function targetOf({ spec: { service } }: APIService): ServiceTarget | undefined {
  if (service === undefined) return undefined;
  return { namespace: service.namespace ?? '', name: service.name ?? '', port: service.port ?? 443 };
}

/** Upstream: NewRequestForProxy of k8s.io/apiserver/pkg/util/proxy */
function isDiscovery({ context, request }: Exchange): boolean {
  if (context.requestInfo?.isResourceRequest !== false) return false;
  const segments = request.path.split('/');
  return segments.findLastIndex((segment) => segment !== '') === DISCOVERY_SEGMENTS;
}

function untilLate(exchange: Exchange): AbortSignal {
  const late = new AbortController();
  const reason = newServiceUnavailable('error trying to reach service: context deadline exceeded');
  const timer = setTimeout(() => late.abort(reason), DISCOVERY_TIMEOUT_MS);
  exchange.onFinished(() => clearTimeout(timer));
  return new JoinedSignal(exchange.signal, late.signal).signal;
}

function keyOf({ spec: { group = '', version = '' } }: APIService): string {
  return group === '' ? 'v1' : `${group}/${version}`;
}

function isRedirect({ responseHeaders }: Exchange, response: ApiResponse): boolean {
  const { type } = response;
  if (type === 'upgrade' || type === 'value') return false;
  return response.status >= 300 && response.status <= 399 && responseHeaders.has('location');
}

/**
 * The response of the server is dropped, and our headers stay.
 * Upstream: RejectForwardingRedirects of UpgradeAwareHandler
 */
function redirectRefused(
  { responseHeaders }: Exchange,
  own: readonly (readonly [string, string | readonly string[]])[],
): ApiResponse {
  for (const [name] of [...responseHeaders.entries()]) responseHeaders.delete(name);
  for (const [name, value] of own) responseHeaders.set(name, value);
  responseHeaders.set('Content-Type', 'text/plain; charset=utf-8');
  const text = 'the backend attempted to redirect this request, which is not permitted';
  return { type: 'bytes', status: 502, body: Buffer.from(text) };
}

function withoutUid({ name, groups, extra }: UserInfo): UserInfo {
  return { name, groups, extra };
}
