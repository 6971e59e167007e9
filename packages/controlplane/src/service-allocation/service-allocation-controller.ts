import type { Service } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { type Clock, sleep, withTimeout } from '@apiserver/apimachinery/clock';
import { type Informer, type Logger, loadedObjects } from '@apiserver/apiserver-contracts';
import { runWorkQueue, type WorkQueue } from '@apiserver/component-base/work-queue';
import type { ControllerContext, ControllerHook } from '../controller-hook.js';
import { DEFAULT_SERVICE_CIDR } from '../default-service-cidr/default-service-cidr-controller.js';
import type { EventRecorder } from '../events/event-recorder.js';
import { SERVICES, type ServerServiceAllocators } from './create-service-allocators.js';
import { LaterKeys } from './later-keys.js';
import { limitPerTurn } from './limit-per-turn.js';
import { NodePortRepair } from './node-port-repair.js';
import { ServiceIPRepair } from './service-ip-repair.js';

/** Upstream: 3 minutes, of pkg/registry/core/rest/storage_core.go */
const REPAIR_MS = 180_000;
/** Time limit for the first rounds. */
const INITIAL_MS = 60_000;
const RETRY_MS = 1000;
/** Upstream: maxRetries of repairip.go, from 5 ms on, doubled each time */
const RETRIES = 15;
const MAX_RETRY_MS = 82_000;
/** Keys to check per event loop turn: less than a millisecond if nothing needs repair. */
const KEYS_PER_TURN = 100;

/** Dependencies of the controller. */
export interface ServiceAllocationControllerOptions {
  readonly allocators: ServerServiceAllocators;
  /** Event recorders for addresses and for node ports: each controller has its own. */
  readonly ipEvents: EventRecorder;
  readonly portEvents: EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Repairs the allocators. A full round runs before the hook finishes. Later, addresses are checked when they or their
 * services change, and everything every three minutes, until the signal aborts. The server exits if the first rounds
 * do not succeed within a minute.
 * Upstream: start-service-ip-repair-controllers of pkg/registry/core/rest/storage_core.go
 */
export function serviceAllocationController(options: ServiceAllocationControllerOptions): ControllerHook {
  return {
    name: 'start-service-ip-repair-controllers',
    async run(context) {
      const { signal } = context;
      const { allocators } = options;
      signal.addEventListener('abort', () => void allocators[Symbol.asyncDispose](), { once: true });
      const repairs = createRepairs(context, options);
      await firstRounds(options, repairs, signal);
      if (signal.aborted) return;
      const { services, ipAddresses } = allocators.informers;
      const unfollow = [follow(services, repairs.services), follow(ipAddresses, repairs.addresses)];
      signal.addEventListener('abort', () => unfollow.map((stop) => stop()), { once: true });
      void everyRound(options, repairs, signal);
    },
  };
}

interface Repairs {
  readonly ips: ServiceIPRepair;
  readonly ports: NodePortRepair;
  /** Keys of services to check. */
  readonly services: WorkQueue;
  /** Names of IPAddresses to check. */
  readonly addresses: WorkQueue;
}

function createRepairs(
  { loopbackClient: client, signal }: ControllerContext,
  { allocators, ipEvents, portEvents, clock, logger }: ServiceAllocationControllerOptions,
): Repairs {
  const { nodePorts: allocator, ports: registry } = allocators;
  const later = new LaterKeys(clock, (name) => addresses.add(name));
  signal.addEventListener('abort', () => later.stop(), { once: true });
  const ips = new ServiceIPRepair({ allocators, client, events: ipEvents, clock, logger, later });
  // Reads stored services: the repair releases unclaimed ports, and an informer may be behind.
  const listServices = async () => loadedObjects((await client.resource<Service>(SERVICES).list('')).items);
  const ports = new NodePortRepair({ allocator, registry, listServices, events: portEvents, logger });
  const turn = limitPerTurn(KEYS_PER_TURN);
  const queue = (name: string, sync: (key: string) => Promise<void>) =>
    runWorkQueue({
      name,
      clock,
      logger,
      signal,
      async sync(key) {
        await turn();
        await sync(key);
      },
      retries: RETRIES,
      longestRetryMilliseconds: MAX_RETRY_MS,
    });
  const addresses = queue('ipaddresses', (name) => ips.syncIPAddress(name));
  return { ips, ports, services: queue('services', (key) => ips.syncService(key)), addresses };
}

/** Throws if they do not succeed in time. */
async function firstRounds(
  options: ServiceAllocationControllerOptions,
  repairs: Repairs,
  signal: AbortSignal,
): Promise<void> {
  const limit = { clock: options.clock, milliseconds: INITIAL_MS, signal };
  const isDone = await withTimeout(limit, (until = signal) => repairedBefore(options, repairs, until));
  if (!isDone && !signal.aborted) throw new Error('unable to perform initial IP and Port allocation check');
}

/** False if the signal aborts before a round succeeds. */
async function repairedBefore(
  { allocators, clock, logger }: ServiceAllocationControllerOptions,
  { ips, ports }: Repairs,
  until: AbortSignal,
): Promise<boolean> {
  while (!until.aborted) {
    try {
      await synced(allocators, until);
      await Promise.all([ips.syncAll(), ports.run()]);
      return true;
    } catch (error) {
      if (!until.aborted) logger.error(error, 'Unable to repair the allocations of services');
    }
    await sleep(clock, RETRY_MS, until);
  }
  return false;
}

/** Without the default ServiceCIDR, every address would be out of range. */
async function synced({ informers }: ServerServiceAllocators, signal: AbortSignal): Promise<void> {
  const { services, ipAddresses, serviceCIDRs } = informers;
  await Promise.all([services, ipAddresses, serviceCIDRs].map((informer) => informer.synced(signal)));
  await appearance(serviceCIDRs, DEFAULT_SERVICE_CIDR, signal);
}

/** Resolves when an object of that name exists; rejects when the signal aborts. */
async function appearance<T extends KubeObject>(
  informer: Informer<T>,
  wanted: string,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(signal.reason);
  const unsubscribe = informer.subscribe({ added: ({ metadata: { name } }) => name === wanted && resolve() });
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  await promise.finally(() => {
    unsubscribe();
    signal.removeEventListener('abort', giveUp);
  });
}

function follow<T extends KubeObject>(informer: Informer<T>, queue: WorkQueue): () => void {
  const add = (object: T) => queue.add(keyOf(object));
  return informer.subscribe({ added: add, updated: add });
}

/** Never rejects. */
async function everyRound(
  { allocators, clock, logger }: ServiceAllocationControllerOptions,
  { ports, services, addresses }: Repairs,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(clock, REPAIR_MS, signal);
    if (signal.aborted) return;
    for (const service of allocators.informers.services.list()) services.add(keyOf(service));
    for (const address of allocators.informers.ipAddresses.list()) addresses.add(keyOf(address));
    await ports.run().catch((error: unknown) => logger.error(error, 'Unable to repair the allocations of node ports'));
  }
}

function keyOf({ metadata: { namespace, name = '' } }: KubeObject): string {
  return namespace ? `${namespace}/${name}` : name;
}
