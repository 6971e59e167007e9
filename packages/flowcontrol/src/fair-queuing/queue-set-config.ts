/** The queues of a priority level. */
export interface QueuingConfig {
  /** 0: requests above the limit are rejected. -1: there is no limit. */
  readonly queues: number;
  readonly queueLengthLimit: number;
  readonly handSize: number;
}

/** The seats of a priority level at present. */
export interface DispatchingConfig {
  readonly concurrencyLimit: number;
  /**
   * Seats of the limit for queues with few executing requests: a flow with many requests leaves them to others. Its
   * requests may all wait for the same disk, and then no seat would be released for long. Upstream has no equivalent.
   * Default 0.
   */
  readonly reserve?: number;
  /** The denominator of ratios in metrics. */
  readonly concurrencyDenominator: number;
}

/** A level without limits. */
export const NO_LIMITS: QueuingConfig = { queues: -1, queueLengthLimit: 0, handSize: 0 };

/** A level without queues. */
export const NO_QUEUES: QueuingConfig = { queues: 0, queueLengthLimit: 0, handSize: 0 };
