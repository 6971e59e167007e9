import type { APIGroupDiscovery } from '@apiserver/api/apidiscovery/v2';
import type { Lease } from '@apiserver/api/coordination/v1';
import { type Clock, repeat } from '@apiserver/apimachinery/clock';
import type { Informer, Logger } from '@apiserver/apiserver-contracts';
import { runWorkQueue, type WorkQueue, type WorkQueueMetrics } from '@apiserver/registry-store';
import type { ServiceAddress } from '../proxy/service-resolver.js';
import type { DiscoveryResponse } from './peer-connections.js';
import type { DiscoveryFailure } from './peer-metrics.js';

/** Upstream: maxRetries. A server has its identity lease before the lease with its address. */
const RETRIES = 20;
const LONGEST_RETRY_MS = 1_000_000;
/** A server that starts again keeps its lease. Upstream does not ask again. */
const REFRESH_MS = 60_000;
/** Servers that are asked. Clusters have up to seven; whoever may write leases must not make this server ask thousands. */
const MAX_PEERS = 100;

/** The resources of a peer. */
export interface PeerDiscoveryEntry {
  /** By `resourceName`. */
  readonly resources: ReadonlySet<string>;
  /** Without the core group, which `/apis` does not list. */
  readonly groups: readonly APIGroupDiscovery[];
}

/** Not a bug: a peer that starts, or that refuses this server. */
class UnreadPeerError extends Error {
  override readonly name = 'UnreadPeerError';
}

/** Dependencies of `PeerDiscovery`. */
export interface PeerDiscoveryOptions {
  /** The identity of this server. */
  readonly serverId: string;
  /** The identity leases of all servers. */
  readonly leases: Pick<Informer<Lease>, 'list' | 'subscribe'>;
  /** Undefined for a server that publishes no address. */
  endpointOf(serverId: string): Promise<ServiceAddress | undefined>;
  read(address: ServiceAddress, path: '/api' | '/apis'): Promise<DiscoveryResponse>;
  failed(failure: DiscoveryFailure): void;
  /** Called after each reading. */
  changed(): void;
  readonly queueMetrics?: WorkQueueMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The discovery of the other kube-apiservers. It is read when a server comes or goes, and every minute.
 * Upstream: k8s.io/apiserver/pkg/util/peerproxy/peer_discovery.go
 */
export class PeerDiscovery {
  readonly #options: PeerDiscoveryOptions;
  #entries: ReadonlyMap<string, PeerDiscoveryEntry> = new Map();

  constructor(options: PeerDiscoveryOptions) {
    this.#options = options;
  }

  /** By the identities of the servers. */
  get entries(): ReadonlyMap<string, PeerDiscoveryEntry> {
    return this.#entries;
  }

  /** Follows the servers until `signal` aborts. */
  run(signal: AbortSignal): void {
    const { leases, queueMetrics, clock, logger } = this.#options;
    const queue = runWorkQueue({
      name: 'peer-discovery-cache-sync',
      sync: () => this.#sync(),
      ...{ retries: RETRIES, workers: 1, longestRetryMilliseconds: LONGEST_RETRY_MS },
      ...(queueMetrics && { metrics: queueMetrics }),
      ...{ clock, logger, signal },
    });
    signal.addEventListener('abort', this.#follow(leases, queue), { once: true });
    const refresh = (): void => {
      const [first] = this.#peers();
      if (first !== undefined) queue.add(first);
    };
    repeat(clock, REFRESH_MS, refresh, signal);
  }

  #follow(leases: PeerDiscoveryOptions['leases'], queue: WorkQueue): () => void {
    const changed = (lease: Lease): void => {
      if (this.#isPeer(lease)) queue.add(lease.metadata.name ?? '');
    };
    return leases.subscribe({
      added: changed,
      updated: (lease, old) => {
        if (lease.spec.holderIdentity !== old.spec.holderIdentity) changed(lease);
      },
      deleted: changed,
    });
  }

  #isPeer({ metadata, spec }: Lease): boolean {
    return metadata.name !== this.#options.serverId && spec.holderIdentity !== undefined;
  }

  #peers(): readonly string[] {
    const peers = this.#options.leases.list().filter((lease) => this.#isPeer(lease));
    return peers.slice(0, MAX_PEERS).map(({ metadata }) => metadata.name ?? '');
  }

  /** Reads all peers. Throws the last error of those that could not be read, after the others. */
  async #sync(): Promise<void> {
    const entries = new Map<string, PeerDiscoveryEntry>();
    let failure: { readonly error: unknown } | undefined;
    for (const serverId of this.#peers()) {
      const groups: APIGroupDiscovery[] = [];
      try {
        await this.#read(serverId, groups);
      } catch (error) {
        failure = { error };
      }
      if (groups.length > 0) entries.set(serverId, entryOf(groups));
    }
    this.#entries = entries;
    this.#options.changed();
    if (failure !== undefined) throw failure.error;
  }

  /** Adds the groups of one server to `groups`. */
  async #read(serverId: string, groups: APIGroupDiscovery[]): Promise<void> {
    const { endpointOf, failed, read } = this.#options;
    const address = await endpointOf(serverId);
    if (address === undefined) {
      failed('hostport_resolution');
      throw new UnreadPeerError(
        `failed to get host port info from identity lease for server ${serverId}: missing port in address`,
      );
    }
    let failure: { readonly error: unknown } | undefined;
    for (const path of ['/api', '/apis'] as const) {
      try {
        const response = await read(address, path);
        if (response.status !== 200)
          throw new UnreadPeerError(`discovery request failed with status: ${response.status}`);
        groups.push(...response.list().items);
      } catch (error) {
        failed('fetch_discovery');
        failure = { error };
      }
    }
    if (failure !== undefined) throw failure.error;
  }
}

/** `group/version/resource` */
export function resourceName(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}

function entryOf(groups: readonly APIGroupDiscovery[]): PeerDiscoveryEntry {
  const resources = groups.flatMap(({ metadata: { name = '' }, versions }) =>
    (versions ?? []).flatMap(({ version, resources: served }) =>
      (served ?? []).map(({ resource }) => resourceName(name, version, resource)),
    ),
  );
  const named = new Map<string, APIGroupDiscovery>();
  for (const group of groups) {
    const { name = '' } = group.metadata;
    if (name !== '' && !named.has(name)) named.set(name, group);
  }
  return { resources: new Set(resources), groups: [...named.values()] };
}
