import type { IPAddress, ServiceCIDR } from '@apiserver/api/networking/v1';
import { isNotFound } from '@apiserver/apimachinery/errors';
import { formatTime } from '@apiserver/apimachinery/values';
import { coreEvents, createEventRecorder } from '@apiserver/controlplane';
import type { ControllerContext } from '../controller.js';
import { IP_ADDRESSES, SERVICE_CIDRS } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';
import { containsAddress, mayBeDeleted, overlap } from './service-networks.js';

/** Upstream: ServiceCIDRProtectionFinalizer */
const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
const CONTROLLER = 'service-cidr-controller';
const READY = 'Kubernetes Service CIDR is ready';
const BLOCKED =
  'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR';
const WORKERS = 5;
/** Upstream: maxRetries */
const RETRIES = 15;
/**
 * With a shared store, the allocators of other servers must see the deletion first: they would still allocate from the
 * network. Upstream: deletionGracePeriod
 */
const SHARED_STORE_PAUSE_MS = 10_000;

/**
 * Protects ServiceCIDRs that services use by a finalizer, and reports in their conditions whether they are ready.
 * Upstream: pkg/controller/servicecidrs
 */
export async function runServiceCIDRController(context: ControllerContext): Promise<void> {
  const { signal } = context;
  const cidrs = context.informer<ServiceCIDR>(SERVICE_CIDRS);
  const addresses = context.informer<IPAddress>(IP_ADDRESSES);
  await Promise.all([cidrs.synced(signal), addresses.synced(signal)]);
  const guard = new ServiceCIDRGuard(context);
  const queue = context.queue({
    name: 'ipaddresses',
    workers: WORKERS,
    retries: RETRIES,
    sync: async (name) => {
      const cidr = cidrs.get('', name);
      if (cidr === undefined) return;
      if (cidr.metadata.deletionTimestamp === undefined) return guard.protect(cidr);
      if (!(await mayBeDeleted(cidr, cidrs.list(), addresses.list()))) return guard.block(cidr);
      const left = guard.pauseOf(cidr);
      if (left > 0) queue.addAfter(name, left);
      else await guard.release(cidr);
    },
  });
  const add = (cidr: ServiceCIDR) => queue.add(cidr.metadata.name ?? '');
  const addOverlapping = (changed: ServiceCIDR) => {
    add(changed);
    for (const cidr of cidrs.list()) if (overlap(cidr, changed)) add(cidr);
  };
  const addContaining = ({ metadata }: IPAddress) => {
    for (const cidr of cidrs.list()) if (containsAddress(cidr, metadata.name ?? '')) add(cidr);
  };
  await runUntilAborted(signal, queue, [
    cidrs.subscribe({ added: addOverlapping, updated: add, deleted: addOverlapping }),
    addresses.subscribe({ added: addContaining, deleted: addContaining }),
  ]);
}

type Condition = NonNullable<ServiceCIDR['status']['conditions']>[number];

/** Writes finalizers and conditions. */
class ServiceCIDRGuard {
  readonly #context: ControllerContext;
  readonly #events: Pick<ReturnType<typeof createEventRecorder>, 'warn'>;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#events = createEventRecorder({ ...context, form: coreEvents(CONTROLLER) });
  }

  async protect(cidr: ServiceCIDR): Promise<void> {
    if (!hasFinalizer(cidr)) await this.#patch(cidr, { finalizers: [FINALIZER] });
    try {
      await this.#report(cidr, { status: 'True', reason: '', message: READY });
    } catch (error) {
      const note = 'The ServiceCIDR Status can not be set to Ready=True';
      this.#events.warn(cidr, { reason: 'KubernetesServiceCIDRError', action: 'Updating', note });
      throw error;
    }
  }

  block(cidr: ServiceCIDR): Promise<void> {
    return this.#report(cidr, { status: 'False', reason: 'Terminating', message: BLOCKED });
  }

  /** Milliseconds until the finalizer may be removed. */
  pauseOf({ metadata }: ServiceCIDR): number {
    const { clock, isStoreShared } = this.#context;
    if (!isStoreShared) return 0;
    return Date.parse(metadata.deletionTimestamp ?? '') + SHARED_STORE_PAUSE_MS - clock.now();
  }

  async release(cidr: ServiceCIDR): Promise<void> {
    if (hasFinalizer(cidr)) await this.#patch(cidr, { '$deleteFromPrimitiveList/finalizers': [FINALIZER] });
  }

  async #patch({ metadata: { name = '' } }: ServiceCIDR, metadata: object): Promise<void> {
    const cidrs = this.#context.client.resource<ServiceCIDR>(SERVICE_CIDRS);
    await cidrs.patch('', name, { type: 'strategic-merge', body: { metadata } }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** Upstream applies at each event, with a new time. */
  async #report(cidr: ServiceCIDR, wanted: Pick<Condition, 'status' | 'reason' | 'message'>): Promise<void> {
    const { status, metadata } = cidr;
    const known = (status.conditions ?? []).find(({ type }) => type === 'Ready');
    if (known?.status === wanted.status && known.message === wanted.message) return;
    const { client, clock } = this.#context;
    const { reason, ...rest } = wanted;
    const condition = { type: 'Ready', ...rest, ...(reason === '' ? {} : { reason }) };
    const conditions = [{ ...condition, lastTransitionTime: formatTime(clock.now()) }];
    const { apiVersion, kind } = cidr;
    const applied = { apiVersion, kind, metadata: { name: metadata.name ?? '' }, status: { conditions } };
    const options = { fieldManager: CONTROLLER, force: true, subresource: 'status' };
    await client.resource<ServiceCIDR>(SERVICE_CIDRS).apply('', applied, options);
  }
}

function hasFinalizer({ metadata }: ServiceCIDR): boolean {
  return (metadata.finalizers ?? []).includes(FINALIZER);
}
