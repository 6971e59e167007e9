import type { PriorityLevelConfigurationSpec } from '@apiserver/api/flowcontrol/v1';

/** The seats that a level may have. */
export interface LevelLimits {
  readonly nominal: number;
  /** After lending all that may be lent. */
  readonly min: number;
  /** After borrowing all that may be borrowed. */
  readonly max: number;
}

/** The shares of a level in relation to the others. */
export function sharesOf({ limited, exempt }: PriorityLevelConfigurationSpec): number {
  return (limited ?? exempt)?.nominalConcurrencyShares ?? 0;
}

/**
 * The limits of a level. `seats` are those of the whole server, and `shareSum` the shares of all levels.
 * Upstream: finishQueueSetReconfigsLocked of k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go
 */
export function levelLimits(spec: PriorityLevelConfigurationSpec, seats: number, shareSum: number): LevelLimits {
  const nominal = Math.ceil((seats * sharesOf(spec)) / shareSum);
  const lendable = Math.round((nominal * ((spec.limited ?? spec.exempt)?.lendablePercent ?? 0)) / 100);
  const percent = spec.limited?.borrowingLimitPercent;
  const borrowing = percent === undefined ? seats : Math.round((nominal * percent) / 100);
  return { nominal, min: nominal - lendable, max: nominal + borrowing };
}

/** The share of a level's seats that one request may take. Upstream: priorityLevelMaxSeatsPercent */
const MAX_SEATS_FRACTION = 0.15;

/** The most seats of one request at a level with queues; undefined for other levels. */
export function maxSeatsPerRequest({ limited }: PriorityLevelConfigurationSpec, nominal: number): number | undefined {
  const handSize = limited?.limitResponse.queuing?.handSize;
  if (handSize === undefined) return undefined;
  return Math.max(1, Math.min(Math.ceil(nominal * MAX_SEATS_FRACTION), Math.trunc(nominal / handSize)));
}
