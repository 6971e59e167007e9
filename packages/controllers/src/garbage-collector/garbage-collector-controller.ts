import { sleep } from '@apiserver/apimachinery/clock';
import type { WorkQueue } from '@apiserver/component-base/work-queue';
import { coreEvents, createEventRecorder } from '@apiserver/controlplane';
import type { ControllerContext } from '../controller.js';
import { followDefinitions } from '../discovery/follow-definitions.js';
import { KnownKinds } from '../discovery/known-kinds.js';
import { Collector } from './collector.js';
import { DependencyGraph, type GraphListener, type GraphNode } from './dependency-graph.js';
import { LiveObjects } from './live-objects.js';
import { identityText, referencedOwner } from './object-identity.js';
import { ResourceMonitors } from './resource-monitors.js';

/** Upstream: --concurrent-gc-syncs */
const WORKERS = 20;
/** A resource that cannot be listed does not hold up the others for longer. Upstream: initialSyncTimeout */
const MAX_SYNC_MS = 30_000;

/**
 * Deletes objects whose owners are gone, and completes deletions with the policies Foreground and Orphan.
 * Upstream: pkg/controller/garbagecollector
 */
export async function runGarbageCollector(context: ControllerContext): Promise<void> {
  const { client, clock, firstUse, logger, random, signal } = context;
  const kinds = new KnownKinds(context);
  const live = new LiveObjects(client, (apiVersion, kind) => kinds.resourceOf(apiVersion, kind));
  const queues = new CollectorQueues(context);
  const graph = new DependencyGraph(queues);
  await using monitors = new ResourceMonitors({
    graph,
    firstUse,
    optionsOf: (resource) => ({ client: client.resource(resource), clock, random, logger }),
  });
  const syncErrors = context.counter({
    name: 'garbagecollector_controller_resources_sync_error_total',
    help: 'Failed reads of the resources that the garbage collector watches.',
    labels: [],
  });
  const resync = async () => {
    try {
      await monitors.sync((await kinds.refresh()).resources);
    } catch (error) {
      if (signal.aborted) return;
      syncErrors({});
      logger.error(error, 'Unable to read the served resources');
    }
  };
  await resync();
  await Promise.race([monitors.synced(), sleep(clock, MAX_SYNC_MS, signal)]);
  const collector = new Collector({
    graph,
    live,
    signal,
    attemptToDelete: (node) => queues.attemptToDelete(node),
    invalidNamespace: (node, uid) => queues.invalidNamespace(node, uid),
  });
  // The first objects of a resource may be dependents of what is processed here.
  queues.start(collector, () => monitors.caughtUp());
  await followDefinitions(context, resync);
  await queues.idle();
}

/** The work of the collector. It waits until the graph is complete. */
class CollectorQueues implements GraphListener {
  readonly #context: ControllerContext;
  readonly #events: Pick<ReturnType<typeof createEventRecorder>, 'warn'>;
  readonly #waiting: (() => void)[] = [];
  #queues: { readonly delete: WorkQueue; readonly orphan: WorkQueue } | undefined;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#events = createEventRecorder({ ...context, form: coreEvents('garbage-collector-controller') });
  }

  /** `ready` is awaited before each item. */
  start(collector: Collector, ready: () => Promise<unknown> | undefined): void {
    this.#queues = {
      delete: this.#context.queue({
        workers: WORKERS,
        name: 'garbage_collector_attempt_to_delete',
        sync: async (key) => {
          await ready();
          await (key.startsWith('?') ? collector.lookUp(key.slice(1)) : collector.attemptToDelete(key));
        },
      }),
      orphan: this.#context.queue({
        workers: WORKERS,
        name: 'garbage_collector_attempt_to_orphan',
        sync: async (key) => {
          await ready();
          await collector.attemptToOrphan(key);
        },
      }),
    };
    for (const add of this.#waiting.splice(0)) add();
  }

  async idle(): Promise<void> {
    await Promise.all([this.#queues?.delete.idle(), this.#queues?.orphan.idle()]);
  }

  attemptToDelete({ identity }: GraphNode): void {
    this.#whenStarted((queues) => queues.delete.add(identity.uid));
  }

  lookUp({ identity }: GraphNode): void {
    this.#whenStarted((queues) => queues.delete.add(`?${identity.uid}`));
  }

  attemptToOrphan({ identity }: GraphNode): void {
    this.#whenStarted((queues) => queues.orphan.add(identity.uid));
  }

  invalidNamespace({ identity, owners }: GraphNode, uid: string): void {
    const reference = owners.find((owner) => owner.uid === uid);
    if (reference === undefined) return;
    const { apiVersion, kind, namespace, name } = identity;
    const owner = identityText(referencedOwner(reference, namespace));
    this.#events.warn(
      { apiVersion, kind, metadata: { name, uid: identity.uid, ...(namespace === '' ? {} : { namespace }) } },
      {
        reason: 'OwnerRefInvalidNamespace',
        action: 'Collecting',
        note: `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`,
      },
    );
  }

  #whenStarted(work: (queues: { readonly delete: WorkQueue; readonly orphan: WorkQueue }) => void): void {
    const queues = this.#queues;
    if (queues !== undefined) work(queues);
    else this.#waiting.push(() => this.#whenStarted(work));
  }
}
