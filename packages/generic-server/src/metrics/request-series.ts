import type { HistogramSeries, Labels, Series } from '@apiserver/component-base/metrics';
import type { RequestFamilies } from './request-families.js';
import type { RequestLabel } from './request-labels.js';

/** The observations of one kind of request. */
interface Observed {
  /** True if the size of the response is observed. */
  readonly isSized: boolean;
  /** True if the request has a latency objective, unlike a watch or a dry run. */
  readonly hasObjective: boolean;
}

/** The series of one kind of request. Each is made by its first observation: an open watch has observed nothing yet. */
export class RequestSeries {
  readonly labels: Labels<RequestLabel | 'dry_run'>;
  readonly #families: RequestFamilies;
  readonly #observed: Observed;
  #withoutDryRun: Labels<RequestLabel> | undefined = undefined;
  #counts: Map<number, Series> | undefined = undefined;
  #duration: HistogramSeries | undefined = undefined;
  #sli: HistogramSeries | undefined = undefined;
  #size: HistogramSeries | undefined = undefined;
  #longRunning: Series | undefined = undefined;

  constructor(families: RequestFamilies, labels: Labels<RequestLabel | 'dry_run'>, observed: Observed) {
    this.#families = families;
    this.#observed = observed;
    this.labels = labels;
  }

  /** The count of requests with a status. */
  count(status: number): Series {
    this.#counts ??= new Map();
    let count = this.#counts.get(status);
    if (count === undefined) {
      count = this.#families.total.with({ ...this.labels, code: String(status) });
      this.#counts.set(status, count);
    }
    return count;
  }

  get duration(): HistogramSeries {
    this.#duration ??= this.#families.duration.with(this.labels);
    return this.#duration;
  }

  /** Undefined for requests without a latency objective. Upstream: WithLatencyTrackers, MonitorRequest */
  get sli(): HistogramSeries | undefined {
    if (this.#sli !== undefined) return this.#sli;
    if (!this.#observed.hasObjective) return undefined;
    this.#sli = this.#families.sli.with(this.#base());
    return this.#sli;
  }

  /** Undefined if sizes are not observed. */
  get size(): HistogramSeries | undefined {
    if (this.#size !== undefined) return this.#size;
    if (!this.#observed.isSized) return undefined;
    this.#size = this.#families.size.with(this.#base());
    return this.#size;
  }

  get longRunning(): Series {
    this.#longRunning ??= this.#families.longRunning.with(this.#base());
    return this.#longRunning;
  }

  #base(): Labels<RequestLabel> {
    if (this.#withoutDryRun === undefined) {
      const { dry_run: _, ...others } = this.labels;
      this.#withoutDryRun = others;
    }
    return this.#withoutDryRun;
  }
}
