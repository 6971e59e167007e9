import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Informer, Logger } from '@apiserver/apiserver-contracts';
import { runWorkQueue, type WorkQueueMetrics } from '@apiserver/component-base/work-queue';
import { LOCAL_AVAILABLE } from '../api-service/conditions.js';
import { type AvailabilityWriter, updateAvailability } from './update-availability.js';

const MAX_RETRY_MS = 30_000;

/** Dependencies of `runLocalAvailability`. */
export interface AvailabilityOptions extends AvailabilityWriter {
  readonly informer: Informer<APIService>;
  readonly logger: Logger;
  /** Of the controller's queue. Default: none. */
  readonly queueMetrics?: WorkQueueMetrics;
}

/**
 * Keeps every APIService without a service Available. Its creation already sets the condition; this handles those
 * that lose their service later. Ends with the signal.
 * Upstream: k8s.io/kube-aggregator/pkg/controllers/status/local/local_available_controller.go
 */
export function runLocalAvailability(options: AvailabilityOptions, signal: AbortSignal): void {
  const { informer, clock, logger } = options;
  const queue = runWorkQueue({
    name: 'LocalAvailabilityController',
    sync: async (name) => {
      const apiService = informer.get('', name);
      if (apiService === undefined || apiService.spec.service !== undefined) return;
      await updateAvailability(options, apiService, LOCAL_AVAILABLE);
    },
    longestRetryMilliseconds: MAX_RETRY_MS,
    ...(options.queueMetrics && { metrics: options.queueMetrics }),
    clock,
    logger,
    signal,
  });
  const changed = ({ metadata: { name = '' } }: APIService): void => queue.add(name);
  signal.addEventListener('abort', informer.subscribe({ added: changed, updated: changed }), { once: true });
}
