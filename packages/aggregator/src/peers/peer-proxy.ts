import type { APIGroupDiscovery } from '@apiserver/api/apidiscovery/v2';
import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Lease } from '@apiserver/api/coordination/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { newServiceUnavailable } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { ApiResponse, Exchange, Handler, Informer, Logger, RequestInfo } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import { createWorkQueueMetrics } from '@apiserver/component-base/work-queue';
import { type InstalledView, respondError } from '@apiserver/endpoints-installer';
import type { ProxyCertificate } from '../proxy/kept-transports.js';
import type { ServiceAddress } from '../proxy/service-resolver.js';
import { ExcludedGroupVersions } from './excluded-group-versions.js';
import { mergePeerGroups } from './merge-peer-groups.js';
import { type DiscoveryResponse, PeerConnections } from './peer-connections.js';
import { PeerDiscovery } from './peer-discovery.js';
import { createPeerMetrics, type PeerMetrics } from './peer-metrics.js';
import { PEER_PROXIED } from './peer-proxied.js';
import { PeerResources } from './peer-resources.js';
import { ServedResources } from './served-resources.js';

/** Dependencies of `PeerProxy`. */
export interface PeerProxyOptions {
  /** The identity of this server among its peers. */
  readonly serverId: string;
  /**
   * PEM: the authorities of the serving certificates of all kube-apiservers. They may change.
   * Upstream flag: --peer-ca-file
   */
  readonly ca: () => string;
  readonly certificate: () => ProxyCertificate;
  /** The address that a server publishes for its peers. */
  endpointOf(serverId: string): Promise<ServiceAddress | undefined>;
  /** The groups that the servers of this process serve. */
  readonly served: InstalledView;
  /** The identity leases of all servers. */
  readonly leases: Informer<Lease>;
  readonly apiServices: Informer<APIService>;
  readonly definitions: Informer<CustomResourceDefinition> | undefined;
  readonly metrics: MetricsRegistry;
  readonly random: RandomInt;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Passes requests for resources that this server does not serve to a kube-apiserver that does: servers of different
 * versions, or with different APIs enabled, on one store.
 * Upstream: k8s.io/apiserver/pkg/util/peerproxy
 */
export class PeerProxy {
  readonly #options: PeerProxyOptions;
  readonly #connections: Pick<PeerConnections, 'pass' | 'discovery' | 'renew'>;
  readonly #discovery: PeerDiscovery;
  readonly #excluded: ExcludedGroupVersions;
  readonly #resources: PeerResources;
  readonly #served: ServedResources;
  readonly #metrics: PeerMetrics;
  readonly #listeners: (() => void)[] = [];
  /** Before, requests are served here. */
  #synced = false;

  /** `connections` has another value only in tests. */
  constructor(
    options: PeerProxyOptions,
    connections: Pick<PeerConnections, 'pass' | 'discovery' | 'renew'> = new PeerConnections(options),
  ) {
    const { apiServices, definitions, metrics, clock, logger, leases, serverId } = options;
    this.#options = options;
    this.#metrics = createPeerMetrics(metrics);
    this.#connections = connections;
    const queueMetrics = createWorkQueueMetrics(metrics, clock);
    const changed = (): void => this.#changed();
    this.#excluded = new ExcludedGroupVersions({
      apiServices,
      definitions,
      changed,
      clock,
      logger,
      queueMetrics: queueMetrics('active-gv-tracker'),
    });
    this.#discovery = new PeerDiscovery({
      serverId,
      leases,
      changed,
      clock,
      logger,
      endpointOf: (id) => options.endpointOf(id),
      failed: (failure) => this.#metrics.discoveryFailed(failure),
      read: (address, path, known) => this.#read(address, path, known),
      queueMetrics: queueMetrics('peer-discovery-cache-sync'),
    });
    this.#resources = new PeerResources(this.#discovery, this.#excluded);
    this.#served = new ServedResources(options.served);
  }

  /** Undefined if this server must respond. */
  handlerFor({ request, context }: Exchange): Handler | undefined {
    const { requestInfo } = context;
    if (!this.#synced || request.inProcess || !requestInfo?.isResourceRequest) return undefined;
    if (request.headers.get(PEER_PROXIED) === 'true') return undefined;
    const { apiGroup, apiVersion, resource } = requestInfo;
    if (this.#served.has(apiGroup, apiVersion, resource)) return undefined;
    const servers = this.#resources.serversOf(apiGroup, apiVersion, resource);
    return servers.length === 0 ? undefined : (exchange) => this.#pass(exchange, requestInfo, servers);
  }

  /** The groups of this server merged with those of its peers. */
  merged(local: readonly APIGroupDiscovery[]): readonly APIGroupDiscovery[] {
    return mergePeerGroups({ serverId: this.#options.serverId, groups: local }, this.#resources.groups());
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Connects with the present certificate from now on. */
  renewCertificate(): void {
    this.#connections.renew();
  }

  /** Reads what this server serves. */
  readServed(): void {
    this.#served.read();
  }

  /** Follows the peers until `signal` aborts. */
  run(signal: AbortSignal): void {
    this.#excluded.run(signal);
    this.#discovery.run(signal);
  }

  /** Resolves when the servers and the group versions of all of them are known. Requests are passed on from then on. */
  async synced(signal: AbortSignal): Promise<void> {
    const { leases, apiServices, definitions } = this.#options;
    await Promise.all([leases.synced(signal), apiServices.synced(signal), definitions?.synced(signal)]);
    this.#synced = true;
  }

  #changed(): void {
    this.#resources.changed();
    for (const listener of this.#listeners) listener();
  }

  /** A peer that does not respond counts as a 503. */
  async #read(...request: Parameters<PeerConnections['discovery']>): Promise<DiscoveryResponse> {
    let status = 503;
    try {
      const response = await this.#connections.discovery(...request);
      ({ status } = response);
      return response;
    } finally {
      this.#metrics.rerouted(status, { group: '', version: '', resource: '' });
    }
  }

  async #pass(
    exchange: Exchange,
    { apiGroup: group, apiVersion: version, resource }: RequestInfo,
    servers: readonly string[],
  ): Promise<ApiResponse> {
    const { logger, random } = this.#options;
    const gvr = { group, version, resource };
    const { user } = exchange.context;
    const endpoints = await this.#endpoints(servers);
    const endpoint = endpoints[random(Math.max(1, endpoints.length))];
    if (endpoint === undefined || user === undefined) {
      this.#metrics.failed('endpoint_resolution', gvr);
      const message = 'Error getting ip and port info of the remote server while proxying';
      return respondError(exchange, newServiceUnavailable(message), logger);
    }
    const response = await this.#connections.pass(exchange, user, endpoint);
    this.#metrics.rerouted(response.type === 'upgrade' ? 0 : response.status, gvr);
    return response;
  }

  async #endpoints(servers: readonly string[]): Promise<readonly ServiceAddress[]> {
    const found = await Promise.all(
      servers.map(async (serverId) => {
        try {
          return await this.#options.endpointOf(serverId);
        } catch (error) {
          this.#options.logger.error(error, 'Error finding the address of a peer', { serverId });
          return undefined;
        }
      }),
    );
    return found.filter((endpoint) => endpoint !== undefined);
  }
}
