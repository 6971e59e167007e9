import type { Service } from '@apiserver/api/core/v1';
import { isConflict } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { EventRecorder } from '../events/event-recorder.js';
import type { ServiceNodePortAllocator } from '../node-port-allocator/node-port-allocator.js';
import { PortBitmap } from '../node-port-allocator/port-bitmap.js';
import { formatPortRange, parsePortRange } from '../node-port-allocator/port-range.js';
import type { PortRangeRegistry, StoredPortRange } from '../node-port-allocator/stored-port-range.js';

/**
 * Rounds for which an unclaimed port stays allocated: its service may be about to be written. Upstream:
 * numRepairsBeforeLeakCleanup
 */
const ROUNDS_BEFORE_RELEASE = 3;
/** Number of attempts per round after conflicts with other servers. Upstream: retry.DefaultBackoff */
const TRIES = 4;

/** Dependencies of the repair of node ports. */
export interface NodePortRepairOptions {
  readonly allocator: ServiceNodePortAllocator;
  readonly registry: PortRangeRegistry;
  /** The stored services of all namespaces at the time of the call. */
  listServices(): Promise<AsyncIterable<Service> | Iterable<Service>>;
  readonly events: EventRecorder;
  readonly logger: Logger;
}

/**
 * Rewrites the allocated node ports: those of services and, for three rounds, unclaimed ones.
 * Upstream: Repair of pkg/registry/core/service/portallocator/controller/repair.go
 */
export class NodePortRepair {
  readonly #options: NodePortRepairOptions;
  /** Remaining rounds of unclaimed ports. */
  #leaks: ReadonlyMap<number, number> = new Map();

  constructor(options: NodePortRepairOptions) {
    this.#options = options;
  }

  /** Runs one round over all stored services. */
  async run(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#round();
      } catch (error) {
        if (tries === TRIES || !isConflict(error)) throw error;
      }
    }
  }

  async #round(): Promise<void> {
    const { allocator, registry, listServices } = this.#options;
    const stored = await registry.read();
    const before = portsOf(stored);
    const rebuilt = PortBitmap.empty(allocator.range.size);
    const reports = new Set<() => void>();
    for await (const service of await listServices()) this.#take(service, { rebuilt, before, reports });
    const leaks = this.#keepLeaks(before, rebuilt);
    const snapshot = { range: formatPortRange(allocator.range), data: rebuilt.toBase64() };
    await registry.replace(stored, snapshot);
    allocator.restore(snapshot);
    this.#leaks = leaks;
    for (const report of reports) report();
  }

  /** Moves a service's ports from `before`, which ends up with the unclaimed ones. */
  #take(
    service: Service,
    { rebuilt, before, reports }: { rebuilt: PortBitmap; before: Set<number>; reports: Set<() => void> },
  ): void {
    const { allocator } = this.#options;
    const range = formatPortRange(allocator.range);
    for (const port of claimedPorts(service)) {
      const report = (reason: string, note: string) => void reports.add(() => this.#report(service, reason, note));
      if (!allocator.contains(port)) {
        report('PortOutOfRange', `Port ${port} is not within the port range ${range}; please recreate service`);
      } else if (!rebuilt.take(port - allocator.range.base)) {
        report('PortAlreadyAllocated', `Port ${port} was assigned to multiple services; please recreate service`);
      } else if (!before.delete(port)) {
        report('PortNotAllocated', `Port ${port} is not allocated; repairing`);
      }
    }
  }

  /** Returns the remaining rounds of each unclaimed port. */
  #keepLeaks(unclaimed: ReadonlySet<number>, rebuilt: PortBitmap): ReadonlyMap<number, number> {
    const { allocator, logger } = this.#options;
    const leaks = new Map<number, number>();
    for (const port of unclaimed) {
      const left = this.#leaks.get(port) ?? ROUNDS_BEFORE_RELEASE - 1;
      if (left === 0) {
        logger.warning('Node port appears to have leaked: cleaning up', { port });
        continue;
      }
      leaks.set(port, left - 1);
      if (allocator.contains(port)) rebuilt.take(port - allocator.range.base);
    }
    return leaks;
  }

  #report(service: Service, reason: string, note: string): void {
    const { events, logger } = this.#options;
    const { namespace, name } = service.metadata;
    logger.warning(note, { service: `${namespace}/${name}` });
    events.warn(service, { reason, note, action: '' });
  }
}

/** The stored range may differ from this server's, after an earlier run. */
function portsOf(stored: StoredPortRange | undefined): Set<number> {
  if (stored === undefined || stored.range === '') return new Set();
  const { base, size } = parsePortRange(stored.range);
  return new Set(
    PortBitmap.fromBase64(size, stored.data)
      .taken()
      .map((offset) => base + offset),
  );
}

/**
 * The node ports of a service. Ports with different protocols may share a number; with the same protocol, it counts
 * as claimed twice. Upstream: collectServiceNodePorts
 */
function claimedPorts({ spec }: Service): number[] {
  const protocols = new Map<number, Set<string>>();
  const claimed: number[] = [];
  for (const { nodePort, protocol = '' } of spec.ports ?? []) {
    if (!nodePort) continue;
    const seen = protocols.get(nodePort) ?? new Set();
    if (seen.size === 0 || seen.has(protocol)) claimed.push(nodePort);
    protocols.set(nodePort, seen.add(protocol));
  }
  const health = spec.healthCheckNodePort ?? 0;
  const seen = protocols.get(health);
  if (health !== 0 && (seen === undefined || seen.has('TCP'))) claimed.push(health);
  return claimed;
}
