import type { Namespace } from '@apiserver/api/core/v1';
import type { ControllerContext } from '../controller.js';
import { NAMESPACES } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';
import { WorkPauses } from '../work-pauses.js';
import { ContentWatches } from './content-watches.js';
import { deleteNamespaceContent } from './delete-namespace.js';

/** Upstream: --concurrent-namespace-syncs */
const WORKERS = 10;
/** Upstream: nsControllerRateLimiter */
const MAX_RETRY_MS = 60_000;
/**
 * With a shared store, other servers must see that a namespace is terminating before its content is deleted: they would
 * still create objects there. Upstream: namespaceDeletionGracePeriod
 */
const SHARED_STORE_PAUSE_MS = 5000;

/**
 * Deletes the content of terminating namespaces, then the namespaces.
 * Upstream: pkg/controller/namespace
 */
export async function runNamespaceController(context: ControllerContext): Promise<void> {
  const { signal, isStoreShared } = context;
  const pause = isStoreShared ? SHARED_STORE_PAUSE_MS : 0;
  const pauses = new WorkPauses(context.clock);
  const watches = new ContentWatches(context.client, (name) => queue.addAfter(name, pauses.left(name)));
  const queue = context.queue({
    name: 'namespace',
    workers: WORKERS,
    longestRetryMilliseconds: MAX_RETRY_MS,
    sync: async (name) => {
      watches.end(name);
      const began = pauses.begin();
      const { remainders, estimate } = await deleteNamespaceContent(name, context);
      if (remainders.length === 0 || signal.aborted) return pauses.forget(name);
      pauses.ended(name, began);
      watches.watch(name, remainders);
      queue.addAfter(name, (Math.trunc(estimate / 2) + 1) * 1000);
    },
  });
  const add = ({ metadata }: Namespace) => {
    if (!metadata.deletionTimestamp) return;
    if (pause === 0) queue.add(metadata.name ?? '');
    else queue.addAfter(metadata.name ?? '', pause);
  };
  const subscription = context.informer<Namespace>(NAMESPACES).subscribe({
    added: add,
    // The reports of an attempt change the namespace, too. They would repeat a failed attempt without its pause.
    updated: (namespace, old) => {
      const isKnown = old.metadata.deletionTimestamp !== undefined && old.metadata.uid === namespace.metadata.uid;
      if (!isKnown) add(namespace);
    },
  });
  await runUntilAborted(signal, queue, [subscription, () => watches.endAll()]);
}
