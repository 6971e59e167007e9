import type { HistogramSeries, Labels, Series } from '@apiserver/component-base/metrics';
import type { FlowCounters, RejectReason } from './flow-counters.js';
import type { FlowLabel, MetricFamilies } from './metric-families.js';

type Families = Omit<MetricFamilies, 'levelGauge' | 'alias'>;

/** The series of one flow schema at one priority level. Each is made by its first observation, as upstream shows it. */
export class FlowSeries implements FlowCounters {
  readonly #families: Families;
  readonly #labels: Labels<FlowLabel>;
  #inQueueRequests: Series | undefined = undefined;
  #inQueueSeats: Series | undefined = undefined;
  #executingRequests: Series | undefined = undefined;
  #executingSeats: Series | undefined = undefined;
  #queueLength: HistogramSeries | undefined = undefined;
  #dispatched: Series | undefined = undefined;
  #estimatedSeats: HistogramSeries | undefined = undefined;
  #watchCount: HistogramSeries | undefined = undefined;
  #executionSeconds: HistogramSeries | undefined = undefined;
  #watchInitSeconds: HistogramSeries | undefined = undefined;
  #waitSeconds: HistogramSeries | undefined = undefined;

  constructor(families: Families, labels: Labels<FlowLabel>) {
    this.#families = families;
    this.#labels = labels;
  }

  get inQueueRequests(): Series {
    this.#inQueueRequests ??= this.#families.inQueueRequests.with(this.#labels);
    return this.#inQueueRequests;
  }

  get inQueueSeats(): Series {
    this.#inQueueSeats ??= this.#families.inQueueSeats.with(this.#labels);
    return this.#inQueueSeats;
  }

  get executingRequests(): Series {
    this.#executingRequests ??= this.#families.executingRequests.with(this.#labels);
    return this.#executingRequests;
  }

  get executingSeats(): Series {
    this.#executingSeats ??= this.#families.executingSeats.with(this.#labels);
    return this.#executingSeats;
  }

  get queueLength(): HistogramSeries {
    this.#queueLength ??= this.#families.queueLength.with(this.#labels);
    return this.#queueLength;
  }

  get dispatched(): Series {
    this.#dispatched ??= this.#families.dispatched.with(this.#labels);
    return this.#dispatched;
  }

  get noAccommodation(): Series {
    return this.#families.noAccommodation.with(this.#labels);
  }

  get estimatedSeats(): HistogramSeries {
    this.#estimatedSeats ??= this.#families.estimatedSeats.with(this.#labels);
    return this.#estimatedSeats;
  }

  get watchCount(): HistogramSeries {
    this.#watchCount ??= this.#families.watchCount.with(this.#labels);
    return this.#watchCount;
  }

  get executionSeconds(): HistogramSeries {
    this.#executionSeconds ??= this.#families.executionSeconds.with({ ...this.#labels, type: 'regular' });
    return this.#executionSeconds;
  }

  get watchInitSeconds(): HistogramSeries {
    this.#watchInitSeconds ??= this.#families.executionSeconds.with({ ...this.#labels, type: 'watch' });
    return this.#watchInitSeconds;
  }

  get waitSeconds(): HistogramSeries {
    this.#waitSeconds ??= this.#families.waitSeconds.with({ ...this.#labels, execute: 'true' });
    return this.#waitSeconds;
  }

  get waitSecondsOfRejected(): HistogramSeries {
    return this.#families.waitSeconds.with({ ...this.#labels, execute: 'false' });
  }

  rejected(reason: RejectReason): void {
    this.#families.rejected.with({ ...this.#labels, reason }).value++;
  }
}
