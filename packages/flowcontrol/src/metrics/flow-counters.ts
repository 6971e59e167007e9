import type { HistogramSeries, Series } from '@apiserver/component-base/metrics';

/** The reason why a request gets no seat. */
export type RejectReason = 'queue-full' | 'concurrency-limit' | 'time-out';

/** The metrics of the requests of one flow schema at one priority level. */
export interface FlowCounters {
  readonly inQueueRequests: Series;
  readonly inQueueSeats: Series;
  readonly executingRequests: Series;
  /** Two metrics of upstream have this value. */
  readonly executingSeats: Series;
  readonly queueLength: HistogramSeries;
  readonly dispatched: Series;
  readonly noAccommodation: Series;
  readonly estimatedSeats: HistogramSeries;
  readonly watchCount: HistogramSeries;
  readonly executionSeconds: HistogramSeries;
  readonly watchInitSeconds: HistogramSeries;
  readonly waitSeconds: HistogramSeries;
  readonly waitSecondsOfRejected: HistogramSeries;
  rejected(reason: RejectReason): void;
}
