import type { IntegratorResults } from '../fair-queuing/integrator.js';

/** A decay with a half-life of five minutes at one update in ten seconds. Upstream: seatDemandSmoothingCoefficient */
const SMOOTHING = 0.977;

/**
 * The seats that a level used or waited for, over the last periods.
 * Upstream: seatDemandStats of k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go
 */
export class SeatDemand {
  average = 0;
  deviation = 0;
  highWatermark = 0;
  /** Follows a rise at once, and a fall slowly. */
  smoothed = 0;

  update({ duration, average, deviation, max }: IntegratorResults): void {
    this.highWatermark = Math.round(max);
    if (duration <= 0) return;
    this.average = average;
    this.deviation = Number.isNaN(deviation) ? 0 : deviation;
    const envelope = this.average + this.deviation;
    this.smoothed = Math.max(envelope, SMOOTHING * this.smoothed + (1 - SMOOTHING) * envelope);
  }
}
