import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import { formatTime } from '@apiserver/apimachinery/values';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { type NewCondition, setAvailable } from '../api-service/conditions.js';
import type { AvailabilityMetrics } from './availability-metrics.js';

/** Dependencies of `updateAvailability`. */
export interface AvailabilityWriter {
  readonly client: Pick<ResourceClient<APIService>, 'update'>;
  readonly clock: Clock;
  readonly metrics: Pick<AvailabilityMetrics, 'changed'>;
}

/** Writes the condition Available if it changed. After a conflict, it reads the object again. */
export async function updateAvailability(
  { client, clock, metrics }: AvailabilityWriter,
  apiService: APIService,
  condition: NewCondition,
): Promise<void> {
  const changed = cloneJson(apiService) as APIService;
  setAvailable(changed, condition, formatTime(clock.now()));
  if (equalJson(changed.status, apiService.status)) return;
  try {
    await client.update('', changed, { subresource: 'status' });
    metrics.changed(apiService, changed);
  } catch (error) {
    if (!(isConflict(error) || isNotFound(error))) throw error;
  }
}
