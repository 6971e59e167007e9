import { type Exchange, type ExchangeOutcome, type RequestInfo, wellKnownUsers } from '@apiserver/apiserver-contracts';
import type { Labels, MetricsRegistry } from '@apiserver/component-base/metrics';
import { totalWait } from '@apiserver/endpoints-installer';
import { requestInfoOf } from '../request/request-info-of.js';
import { type RequestFamilies, registerRequestFamilies } from './request-families.js';
import { metricsDryRun, metricsScope, metricsVerb, type RequestLabel } from './request-labels.js';
import { RequestSeries } from './request-series.js';

/** Maximum number of cached kinds of requests. Others are looked up by their labels each time. */
const MAX_KINDS = 4_096;
/** Number of recent kinds that are found without a text key, which V8 would intern for each request. */
const MAX_RECENT = 8;

/** A recent kind of request. */
interface Recent {
  readonly info: RequestInfo;
  readonly place: string;
  readonly dryRun: string;
  readonly apply: boolean;
  readonly series: RequestSeries;
}

function isSameKind(a: RequestInfo, b: RequestInfo): boolean {
  return (
    a.verb === b.verb &&
    a.resource === b.resource &&
    a.apiGroup === b.apiGroup &&
    a.apiVersion === b.apiVersion &&
    subresourceOf(a) === subresourceOf(b)
  );
}

/** Paths without a resource have a label in the place of the subresource. */
function subresourceOf({ isResourceRequest, subresource, path }: RequestInfo): string {
  return isResourceRequest ? subresource : path;
}

/**
 * Counts and times requests for API resources, and for measured paths.
 * Upstream: k8s.io/apiserver/pkg/endpoints/metrics
 */
export class RequestMetrics {
  readonly #families: RequestFamilies;
  readonly #series = new Map<string, RequestSeries>();
  readonly #recent: Recent[] = [];
  #oldest = 0;

  constructor(registry: MetricsRegistry) {
    this.#families = registerRequestFamilies(registry);
  }

  /** Counts a request until it has finished. The gauge includes it meanwhile if it is `longRunning`. */
  track(exchange: Exchange, longRunning: boolean): void {
    const info = requestInfoOf(exchange);
    const series = this.#seriesOf(exchange, info);
    if (longRunning) series.longRunning.value++;
    exchange.onFinished((outcome) => {
      if (longRunning) series.longRunning.value--;
      this.#record(series, outcome, exchange);
    });
  }

  /** Counts a request for a page whose labels depend on the response. */
  monitor(exchange: Exchange, page: Pick<Labels<RequestLabel>, 'group' | 'version' | 'resource' | 'component'>): void {
    const labels = { verb: 'GET', dry_run: '', subresource: '', scope: '', ...page };
    const series = this.#seriesByLabels(labels);
    exchange.onFinished((outcome) => this.#record(series, outcome, exchange));
  }

  #seriesByLabels(labels: Labels<RequestLabel | 'dry_run'>): RequestSeries {
    const name = `page ${labels.group} ${labels.version} ${labels.resource}`;
    const series = this.#series.get(name) ?? new RequestSeries(this.#families, labels);
    this.#series.set(name, series);
    return series;
  }

  /** Counts a request that was ended to protect the server: after a timeout, or at the limit of concurrent requests. */
  terminated(exchange: Exchange, code: number): void {
    const info = exchange.context.requestInfo;
    if (info === undefined) return;
    const { dry_run: _, ...labels } = labelsOf(exchange, info);
    this.#families.terminations.with({ ...labels, code: String(code) }).value++;
  }

  #record(series: RequestSeries, outcome: ExchangeOutcome, { context, request }: Exchange): void {
    const { status, bytesWritten, aborted } = outcome;
    const elapsed = performance.now() - context.startedAt;
    series.count(status).value++;
    if (context.user?.name === wellKnownUsers.apiServer) this.#countOwn(series);
    this.#noteFieldValidation(request.rawQuery, () => request.query);
    series.duration.observe(elapsed / 1_000);
    series.sli?.observe((elapsed - totalWait(context)) / 1_000);
    series.size?.observe(bytesWritten);
    if (aborted) {
      const { dry_run: _, component: __, ...labels } = series.labels;
      this.#families.aborts.with(labels).value++;
    }
  }

  #countOwn({ labels: { verb, group, resource, subresource } }: RequestSeries): void {
    this.#families.own.with({ verb, group, resource, subresource }).value++;
  }

  /** Makes the series of a value, and observes nothing, as upstream. Upstream: cleanFieldValidation */
  #noteFieldValidation(rawQuery: string, query: () => URLSearchParams): void {
    if (!rawQuery.includes('fieldValidation')) return;
    const [value = '', ...others] = query().getAll('fieldValidation');
    const isValid = others.length === 0 && FIELD_VALIDATIONS.has(value);
    this.#families.fieldValidation.with({ field_validation: isValid ? value : 'invalid' });
  }

  #seriesOf(exchange: Exchange, info: RequestInfo): RequestSeries {
    const type = info.verb === 'patch' ? (exchange.request.headers.get('content-type') ?? '') : '';
    const apply = type.startsWith('application/apply-patch');
    const dryRun = metricsDryRun(exchange);
    const place = info.name === '' ? (info.namespace === '' ? 'c' : 'n') : 'r';
    for (let i = 0; i < this.#recent.length; i++) {
      const one = this.#recent[i] as Recent;
      const isSame = one.place === place && one.dryRun === dryRun && one.apply === apply;
      if (isSame && isSameKind(one.info, info)) return one.series;
    }
    const what = `${info.verb} ${place} ${info.apiGroup} ${info.apiVersion} ${info.resource} ${subresourceOf(info)}`;
    const series = this.#seriesByName(`${what} ${dryRun} ${apply ? 'apply' : ''}`, exchange, info);
    this.#recent[this.#oldest] = { info, place, dryRun, apply, series };
    this.#oldest = (this.#oldest + 1) % MAX_RECENT;
    return series;
  }

  #seriesByName(name: string, exchange: Exchange, info: RequestInfo): RequestSeries {
    const known = this.#series.get(name);
    if (known !== undefined) return known;
    const series = new RequestSeries(this.#families, labelsOf(exchange, info));
    if (this.#series.size < MAX_KINDS) this.#series.set(name, series);
    return series;
  }
}

function labelsOf(exchange: Exchange, info: RequestInfo): Labels<RequestLabel | 'dry_run'> {
  return {
    verb: info.isResourceRequest ? metricsVerb(exchange, info) : exchange.request.method,
    dry_run: metricsDryRun(exchange),
    group: info.apiGroup,
    version: info.apiVersion,
    resource: info.resource,
    subresource: subresourceOf(info),
    scope: metricsScope(info),
    component: info.isResourceRequest ? 'apiserver' : '',
  };
}

/** Upstream: ValidateFieldValidation */
const FIELD_VALIDATIONS: ReadonlySet<string> = new Set(['', 'Ignore', 'Warn', 'Strict']);
