import type { Service } from '@apiserver/api/core/v1';
import { isConflict } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { EventRecorder } from '../events/event-recorder.js';
import type { ServiceNodePortAllocator } from '../node-port-allocator/node-port-allocator.js';
import { PortBitmap } from '../node-port-allocator/port-bitmap.js';
import { formatPortRange, parsePortRange } from '../node-port-allocator/port-range.js';
import type { PortRangeRegistry, StoredPortRange } from '../node-port-allocator/stored-port-range.js';

/** Rounds that a port of no service stays taken: its service may be about to be written. Upstream: numRepairsBeforeLeakCleanup */
const ROUNDS_BEFORE_RELEASE = 3;
/** How often a round begins anew when another server writes meanwhile. Upstream: retry.DefaultBackoff */
const TRIES = 4;

export interface NodePortRepairOptions {
  readonly allocator: ServiceNodePortAllocator;
  readonly registry: PortRangeRegistry;
  /** Every service, of all namespaces, as they are stored when it is asked. */
  listServices(): Promise<readonly Service[]>;
  readonly events: EventRecorder;
  readonly logger: Logger;
}

/**
 * Writes anew which node ports are taken: those of services, and for three rounds those that no service has.
 * Upstream: Repair of pkg/registry/core/service/portallocator/controller/repair.go
 */
export class NodePortRepair {
  readonly #options: NodePortRepairOptions;
  /** Rounds that a port of no service has left. */
  #leaks: ReadonlyMap<number, number> = new Map();

  constructor(options: NodePortRepairOptions) {
    this.#options = options;
  }

  /** One round over every stored service. */
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
    const told = new Set<() => void>();
    for (const service of await listServices()) this.#take(service, { rebuilt, before, told });
    const leaks = this.#keepLeaks(before, rebuilt);
    const snapshot = { range: formatPortRange(allocator.range), data: rebuilt.toBase64() };
    await registry.replace(stored, snapshot);
    allocator.restore(snapshot);
    this.#leaks = leaks;
    for (const tell of told) tell();
  }

  /** Takes a service's ports off `before`, where those of no service remain. */
  #take(
    service: Service,
    { rebuilt, before, told }: { rebuilt: PortBitmap; before: Set<number>; told: Set<() => void> },
  ): void {
    const { allocator } = this.#options;
    const range = formatPortRange(allocator.range);
    for (const port of claimedPorts(service)) {
      const tell = (reason: string, note: string) => void told.add(() => this.#tell(service, reason, note));
      if (!allocator.contains(port)) {
        tell('PortOutOfRange', `Port ${port} is not within the port range ${range}; please recreate service`);
      } else if (!rebuilt.take(port - allocator.range.base)) {
        tell('PortAlreadyAllocated', `Port ${port} was assigned to multiple services; please recreate service`);
      } else if (!before.delete(port)) {
        tell('PortNotAllocated', `Port ${port} is not allocated; repairing`);
      }
    }
  }

  /** Answers how many rounds each has left. */
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

  #tell(service: Service, reason: string, note: string): void {
    const { events, logger } = this.#options;
    const { namespace, name } = service.metadata;
    logger.warning(note, { service: `${namespace}/${name}` });
    events.warn(service, { reason, note, action: '' });
  }
}

/** The range may be another one than this server's: an earlier run had it. */
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
 * The node ports of a service. Ports of different protocols may share one; of the same protocol it is claimed twice.
 * Upstream: collectServiceNodePorts
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
