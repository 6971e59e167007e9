import type { HistogramSeries, Labels, Series } from '@apiserver/component-base/metrics';
import type { RequestFamilies } from './request-families.js';
import type { RequestLabel } from './request-labels.js';

/** The series of one kind of request. Each is made by its first observation: an open watch has observed nothing yet. */
export class RequestSeries {
  readonly labels: Labels<RequestLabel | 'dry_run'>;
  readonly #families: RequestFamilies;
  #withoutDryRun: Labels<RequestLabel> | undefined = undefined;
  #counts: Map<number, Series> | undefined = undefined;
  #duration: HistogramSeries | undefined = undefined;
  #sli: HistogramSeries | undefined = undefined;
  #size: HistogramSeries | undefined = undefined;
  #longRunning: Series | undefined = undefined;

  constructor(families: RequestFamilies, labels: Labels<RequestLabel | 'dry_run'>) {
    this.#families = families;
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

  /** Undefined for requests without a latency objective: watches, dry runs. */
  get sli(): HistogramSeries | undefined {
    if (this.#sli !== undefined) return this.#sli;
    const { verb, dry_run: dryRun } = this.labels;
    if (dryRun !== '' || verb === 'WATCH' || verb === 'CONNECT') return undefined;
    this.#sli = this.#families.sli.with(this.#base());
    return this.#sli;
  }

  /** Only reads are measured. A watch is a kind of list to upstream's metrics. */
  get size(): HistogramSeries | undefined {
    if (this.#size !== undefined) return this.#size;
    const { verb } = this.labels;
    if (verb !== 'GET' && verb !== 'LIST' && verb !== 'WATCH') return undefined;
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
