import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { type Clock, sliceTurn } from '@apiserver/apimachinery/clock';
import { isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import type { Informer, Logger } from '@apiserver/apiserver-contracts';
import { noWorkQueueMetrics, runWorkQueue, type WorkQueueMetrics } from '@apiserver/component-base/work-queue';

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 30_000;

/** A control loop over changed definitions. */
export interface DefinitionController {
  /** For the log and the metrics of its queue: upstream's name. */
  readonly name: string;
  /** Syncs one definition. A throw causes a retry. */
  sync(definition: CustomResourceDefinition, signal: AbortSignal): Promise<void>;
  /** Maximum number of definitions in parallel. Default: one. */
  readonly workers?: number;
  /** Milliseconds until a changed definition is synced; undefined if it need not be. Default: each is synced at once. */
  delay?(definition: CustomResourceDefinition): number | undefined;
  /** Other definitions that a change of this one affects. Default: none. */
  related?(definition: CustomResourceDefinition): readonly string[];
}

/** Dependencies of a queue. */
export interface DefinitionQueueOptions {
  readonly informer: Informer<CustomResourceDefinition>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Metrics of the queue. Default: none. */
  readonly metrics?: WorkQueueMetrics;
}

/**
 * Runs a controller: syncs every definition when it changes, never twice at a time, and again with a backoff after a
 * failure. Ends with the signal.
 * Upstream: k8s.io/client-go/util/workqueue, as its controllers use it
 */
export function runController(controller: DefinitionController, options: DefinitionQueueOptions): void {
  const { informer, clock, logger, signal, metrics = noWorkQueueMetrics } = options;
  const queue = runWorkQueue({
    name: controller.name,
    sync: (name) => syncDefinition(controller, options, name),
    failed: (definition, error) => {
      // After a conflict, the informer's next event also causes a retry.
      if (!isConflict(error)) logger.error(error, 'Controller failed', { controller: controller.name, definition });
    },
    workers: controller.workers ?? 1,
    firstRetryMilliseconds: FIRST_RETRY_MS,
    longestRetryMilliseconds: MAX_RETRY_MS,
    ...{ clock, logger, signal, metrics },
  });
  const add = (definition: CustomResourceDefinition): void => {
    const { name = '' } = definition.metadata;
    const delay = controller.delay?.(definition);
    if (controller.delay === undefined) queue.add(name);
    else if (delay !== undefined) queue.addAfter(name, delay);
  };
  const addRelated = (definition: CustomResourceDefinition): void => {
    for (const name of controller.related?.(definition) ?? []) queue.add(name);
  };
  const changed = (definition: CustomResourceDefinition): void => {
    add(definition);
    addRelated(definition);
  };
  const unsubscribe = informer.subscribe({ added: changed, updated: changed, deleted: addRelated });
  signal.addEventListener('abort', unsubscribe, { once: true });
}

async function syncDefinition(
  controller: DefinitionController,
  { informer, signal }: DefinitionQueueOptions,
  name: string,
): Promise<void> {
  // A large definition takes some controllers tens of milliseconds, and all of them hear of it at the same moment.
  await sliceTurn();
  if (signal.aborted) return;
  const definition = informer.get('', name);
  if (definition === undefined) return;
  try {
    await controller.sync(definition, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
