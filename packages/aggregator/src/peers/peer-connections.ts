import type { APIGroupDiscovery } from '@apiserver/api/apidiscovery/v2';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Logger, UserInfo } from '@apiserver/apiserver-contracts';
import type { BackendTransport } from '@apiserver/proxy';
import { fetchDocument } from '../proxy/fetch-document.js';
import type { ProxyCertificate } from '../proxy/kept-transports.js';
import { plainResponse } from '../proxy/plain-response.js';
import { exchangeAs } from '../proxy/remote-request.js';
import type { ServiceAddress } from '../proxy/service-resolver.js';
import { sortedQuery } from '../proxy/sorted-query.js';
import { createGroupsDecoder } from './decode-groups.js';
import { PEER_PROXIED } from './peer-proxied.js';

const CONNECT_TIMEOUT_MS = 30_000;
/** The name in the serving certificate of every kube-apiserver. */
const SERVER_NAME = 'kubernetes.default.svc';
/** Upstream: AcceptV2NoPeer, AcceptV2 and AcceptV1 of k8s.io/client-go/discovery */
const ACCEPT = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer',
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json',
].join(',');
/** The identity of this server for discovery. Upstream: APIServerUser of k8s.io/apiserver/pkg/authentication/user */
const API_SERVER: UserInfo = {
  name: 'system:apiserver',
  uid: 'system:apiserver',
  groups: ['system:authenticated'],
  extra: {},
};

/** Dependencies of `PeerConnections`. */
export interface PeerConnectionOptions {
  /** PEM: the authorities of the serving certificates of all kube-apiservers. They may change. */
  readonly ca: () => string;
  readonly certificate: () => ProxyCertificate;
  readonly logger: Logger;
}

/**
 * Requests to other kube-apiservers, with the client certificate of this server.
 * Upstream: proxyRequestToDestinationAPIServer of k8s.io/apiserver/pkg/util/peerproxy/peerproxy_handler.go
 */
export class PeerConnections {
  readonly #options: PeerConnectionOptions;
  readonly #groupsIn = createGroupsDecoder();
  #kept: BackendTransport;

  constructor(options: PeerConnectionOptions) {
    this.#options = options;
    this.#kept = transportOf(options);
  }

  /** Connects with the present certificate from now on. */
  renew(): void {
    this.#kept = transportOf(this.#options);
  }

  /** Connections are pooled by transport. */
  get #transport(): BackendTransport {
    const ca = this.#options.ca();
    if (this.#kept.ca !== ca) this.#kept = { ...this.#kept, ca };
    return this.#kept;
  }

  /** Passes a request on, as the request of its user. A peer that does not respond is a 503. */
  async pass(exchange: Exchange, user: UserInfo, { hostname, port }: ServiceAddress): Promise<ApiResponse> {
    const { path, rawQuery } = exchange.request;
    const query = sortedQuery(rawQuery);
    const location = { scheme: 'https', hostname, port: String(port), path, rawQuery: query } as const;
    const passed = exchangeAs(exchange, user, { [PEER_PROXIED]: 'true' });
    try {
      const { proxyRequest } = await import('@apiserver/proxy');
      return await proxyRequest(passed, {
        location,
        transport: this.#transport,
        upgradeRequired: false,
        isIdentified: true,
      });
    } catch (error) {
      if (exchange.signal.aborted) throw error;
      this.#options.logger.error(error, 'Error while proxying request to destination apiserver');
      return plainResponse(exchange, 503, messageOf(error));
    }
  }

  /**
   * Reads `/api` or `/apis` of a peer, without what its own peers serve. A document that has not changed is not sent
   * again. Throws an Error if it cannot be read.
   */
  async discovery(address: ServiceAddress, path: DiscoveryPath, known?: PeerDocument): Promise<DiscoveryResponse> {
    const { status, etag, body } = await fetchDocument({
      address,
      path,
      transport: this.#transport,
      accept: ACCEPT,
      user: API_SERVER,
      headers: { [PEER_PROXIED]: 'true', ...(known && known.etag !== '' && { 'If-None-Match': known.etag }) },
    });
    const document = (): PeerDocument => {
      if (status === 304 && known !== undefined) return known;
      return { path, etag, groups: this.#groupsIn(Buffer.from(body)) };
    };
    return { status, document };
  }
}

/** The paths of aggregated discovery. */
export type DiscoveryPath = '/api' | '/apis';

/** A discovery document of a peer; the same object as long as it does not change. */
export interface PeerDocument {
  readonly path: DiscoveryPath;
  /** "" for none. */
  readonly etag: string;
  readonly groups: readonly APIGroupDiscovery[];
}

/** The response of a peer. */
export interface DiscoveryResponse {
  readonly status: number;
  /** Throws an Error for another body. */
  document(): PeerDocument;
}

/** Peers are in the network of this server, so that egress proxies do not count. */
function transportOf({ ca, certificate }: PeerConnectionOptions): BackendTransport {
  const { certificate: pem, key } = certificate();
  return { ca: ca(), certificate: pem, key, serverName: SERVER_NAME, verify: true, connectTimeout: CONNECT_TIMEOUT_MS };
}
