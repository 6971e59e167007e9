import { type SeatSeconds, seatsTimes } from './seat-seconds.js';

/** The seats that a request needs. Upstream: WorkEstimate of k8s.io/apiserver/pkg/util/flowcontrol/request */
export interface WorkEstimate {
  /** Seats while the request executes. */
  readonly initialSeats: number;
  /** Seats afterwards, while watchers receive its events. */
  readonly finalSeats: number;
  /** The time for which the final seats are taken, in milliseconds. The client does not wait for it. */
  readonly additionalLatency: number;
}

/** One seat while the request executes. */
export const ONE_SEAT: WorkEstimate = { initialSeats: 1, finalSeats: 0, additionalLatency: 0 };

/**
 * The duration that a request is expected to take before it is known, in milliseconds.
 * Upstream: estimatedServiceDuration
 */
export const ESTIMATED_SERVICE_DURATION_MS = 3;

/** The most seats that a request takes at a time. */
export function maxSeatsOf({ initialSeats, finalSeats }: WorkEstimate): number {
  return initialSeats >= finalSeats ? initialSeats : finalSeats;
}

/** The work after a request has executed. */
export function finalWorkOf({ finalSeats, additionalLatency }: WorkEstimate): SeatSeconds {
  return finalSeats === 0 ? 0 : seatsTimes(finalSeats, additionalLatency);
}

/** The expected work of a request. */
export function totalWorkOf(estimate: WorkEstimate): SeatSeconds {
  return seatsTimes(estimate.initialSeats, ESTIMATED_SERVICE_DURATION_MS) + finalWorkOf(estimate);
}
