import type { APIGroupDiscovery } from '@apiserver/api/apidiscovery/v2';
import type { Lease } from '@apiserver/api/coordination/v1';
import { type Clock, repeat } from '@apiserver/apimachinery/clock';
import type { Informer, Logger } from '@apiserver/apiserver-contracts';
import { runWorkQueue, type WorkQueue, type WorkQueueMetrics } from '@apiserver/component-base/work-queue';
import type { ServiceAddress } from '../proxy/service-resolver.js';
import type { DiscoveryPath, DiscoveryResponse, PeerDocument } from './peer-connections.js';
import type { DiscoveryFailure } from './peer-metrics.js';

/** Upstream: maxRetries. A server has its identity lease before the lease with its address. */
const RETRIES = 20;
/** A server that starts again keeps its lease. Upstream does not ask again. */
const REFRESH_MS = 60_000;
/**
 * Servers that are asked. Clusters have up to seven; whoever may write leases must not make this server ask thousands.
 */
const MAX_PEERS = 100;
const PATHS: readonly DiscoveryPath[] = ['/api', '/apis'];

/** The resources of a peer. */
export interface PeerDiscoveryEntry {
  /** By `resourceName`. */
  readonly resources: ReadonlySet<string>;
  /** Without the core group, which `/apis` does not list. */
  readonly groups: readonly APIGroupDiscovery[];
}

/** An entry with the documents that it is made of. */
interface ReadEntry extends PeerDiscoveryEntry {
  readonly documents: readonly PeerDocument[];
}

/** The reading of one server. */
interface Reading {
  /** Gets the documents. */
  readonly documents: PeerDocument[];
  readonly known: readonly PeerDocument[];
  /** Ends it between two requests. */
  readonly signal: AbortSignal;
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
  /** Gets the document of a path, or `known` again. */
  read(address: ServiceAddress, path: DiscoveryPath, known?: PeerDocument): Promise<DiscoveryResponse>;
  failed(failure: DiscoveryFailure): void;
  /** Called when a reading differs from the one before. */
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
  #entries: ReadonlyMap<string, ReadEntry> = new Map();

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
      sync: () => this.#sync(signal),
      retries: RETRIES,
      workers: 1,
      ...(queueMetrics && { metrics: queueMetrics }),
      clock,
      logger,
      signal,
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
  async #sync(signal: AbortSignal): Promise<void> {
    const entries = new Map<string, ReadEntry>();
    let failure: { readonly error: unknown } | undefined;
    for (const serverId of this.#peers()) {
      const documents: PeerDocument[] = [];
      const before = this.#entries.get(serverId);
      try {
        await this.#read(serverId, { documents, known: before?.documents ?? [], signal });
      } catch (error) {
        failure = { error };
      }
      if (signal.aborted) return;
      const entry = before !== undefined && isSame(before.documents, documents) ? before : entryOf(documents);
      if (entry.resources.size > 0 || entry.groups.length > 0) entries.set(serverId, entry);
    }
    const isUnchanged = isSame([...entries.values()], [...this.#entries.values()]);
    this.#entries = entries;
    if (!isUnchanged) this.#options.changed();
    if (failure !== undefined) throw failure.error;
  }

  /**
   * Adds the documents of one server to `documents`. Those of `known` need not be sent again. They stay if the server
   * has an address but does not respond: an API that seems to vanish for a moment would mislead garbage collectors.
   */
  async #read(serverId: string, { documents, known, signal }: Reading): Promise<void> {
    const { endpointOf, failed, read } = this.#options;
    const address = await endpointOf(serverId);
    if (address === undefined) {
      failed('hostport_resolution');
      throw new UnreadPeerError(
        `failed to get host port info from identity lease for server ${serverId}: missing port in address`,
      );
    }
    let failure: { readonly error: unknown } | undefined;
    for (const path of PATHS) {
      if (signal.aborted) return;
      const before = known.find((document) => document.path === path);
      try {
        const response = await read(address, path, before);
        if (response.status !== 200 && response.status !== 304) {
          throw new UnreadPeerError(`discovery request failed with status: ${response.status}`);
        }
        documents.push(response.document());
      } catch (error) {
        failed('fetch_discovery');
        failure = { error };
        if (before !== undefined) documents.push(before);
      }
    }
    if (failure !== undefined) throw failure.error;
  }
}

/** `group/version/resource` */
export function resourceName(group: string, version: string, resource: string): string {
  return `${group}/${version}/${resource}`;
}

function entryOf(documents: readonly PeerDocument[]): ReadEntry {
  const groups = documents.flatMap((document) => document.groups);
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
  return { documents, resources: new Set(resources), groups: [...named.values()] };
}

function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}
