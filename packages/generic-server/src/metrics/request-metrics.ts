import { type Exchange, type ExchangeOutcome, type RequestInfo, wellKnownUsers } from '@apiserver/apiserver-contracts';
import type { Labels, MetricsRegistry, Series } from '@apiserver/component-base/metrics';
import { totalWait } from '@apiserver/endpoints-installer';
import { requestInfoOf } from '../request/request-info-of.js';
import { type RequestFamilies, registerRequestFamilies } from './request-families.js';
import { type RequestKind, type RequestLabel, requestKind } from './request-labels.js';
import { RequestSeries } from './request-series.js';

/** Maximum number of cached kinds of requests. Others are looked up by their labels each time. */
const MAX_KINDS = 4_096;
/** Maximum number of kinds of requests that ended early, and of their characters: clients choose the names in them. */
const MAX_ENDED = 1_000;
const MAX_ENDED_LENGTH = 500;
/** Number of recent kinds that are found without a text key, which V8 would intern for each request. */
const MAX_RECENT = 8;

/** Upstream: APIServerComponent */
const COMPONENT = 'apiserver';

/** A recent kind of request. */
interface Recent {
  readonly info: RequestInfo;
  readonly kind: RequestKind;
  readonly series: RequestSeries;
}

/** The measurement of a request. */
export interface TrackedRequest {
  /** True if the gauge includes the request until it has finished. */
  readonly longRunning: boolean;
  /** See `requestKind`. */
  readonly measuresRoute: boolean;
}

function isSameKind(a: RequestKind, b: RequestKind): boolean {
  return a.verb === b.verb && a.scope === b.scope && a.dryRun === b.dryRun && a.isSized === b.isSized;
}

function isSamePlace(a: RequestInfo, b: RequestInfo): boolean {
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
  readonly #ended = new Set<string>();
  #oldest = 0;

  constructor(registry: MetricsRegistry) {
    this.#families = registerRequestFamilies(registry);
  }

  /** Counts a request when it has finished. */
  track(exchange: Exchange, { longRunning, measuresRoute }: TrackedRequest): void {
    const info = requestInfoOf(exchange);
    const series = this.#seriesOf(info, requestKind(exchange, info, measuresRoute));
    const running = longRunning ? this.#longRunning(exchange, info) : undefined;
    if (running !== undefined) running.value++;
    exchange.onFinished((outcome) => {
      if (running !== undefined) running.value--;
      this.#record(series, outcome, exchange);
    });
  }

  /** Its scope comes from RequestInfo for every resource. Upstream: metrics.RecordLongRunning */
  #longRunning(exchange: Exchange, info: RequestInfo): Series {
    return this.#seriesOf(info, requestKind(exchange, info, false)).longRunning;
  }

  /** Counts a request for a page whose labels depend on the response. */
  monitor(exchange: Exchange, page: Pick<Labels<RequestLabel>, 'group' | 'version' | 'resource' | 'component'>): void {
    const { verb, dryRun } = requestKind(exchange, requestInfoOf(exchange), false);
    const series = this.#seriesByLabels({ verb, dry_run: dryRun, subresource: '', scope: '', ...page });
    exchange.onFinished((outcome) => this.#record(series, outcome, exchange));
  }

  #seriesByLabels(labels: Labels<RequestLabel | 'dry_run'>): RequestSeries {
    const { verb, dry_run, group, version, resource } = labels;
    const name = `page ${verb} ${dry_run} ${group} ${version} ${resource}`;
    const rules = { isSized: true, hasObjective: dry_run === '' };
    const series = this.#series.get(name) ?? new RequestSeries(this.#families, labels, rules);
    this.#series.set(name, series);
    return series;
  }

  /** Counts a request that was ended to protect the server: after a timeout, or at the limit of concurrent requests. */
  terminated(exchange: Exchange, code: number): void {
    const info = exchange.context.requestInfo;
    if (info === undefined) return;
    const { dry_run: _, ...labels } = labelsOf(info, requestKind(exchange, info, false));
    const terminated = { ...labels, component: COMPONENT, code: String(code) };
    if (this.#isShown(terminated)) this.#families.terminations.with(terminated).value++;
  }

  /**
   * Counts a request that was refused with 429 at the limit of concurrent requests. No handler has counted it.
   * Upstream: RecordDroppedRequest
   */
  dropped(exchange: Exchange): void {
    this.terminated(exchange, 429);
    const info = exchange.context.requestInfo;
    if (info === undefined) return;
    const labels = labelsOf(info, requestKind(exchange, info, false));
    const dropped = { ...labels, subresource: info.subresource, component: COMPONENT, code: '429' };
    if (this.#isShown(dropped)) this.#families.total.with(dropped).value++;
  }

  /** Counts a request whose response was cut off by the server. */
  aborted(exchange: Exchange): void {
    const info = exchange.context.requestInfo;
    if (info === undefined) return;
    const { dry_run: _, component: __, ...labels } = labelsOf(info, requestKind(exchange, info, false));
    const aborted = { ...labels, subresource: info.subresource };
    if (this.#isShown(aborted)) this.#families.aborts.with(aborted).value++;
  }

  /** Reports whether a request that may have no route is counted. Upstream counts all of them. */
  #isShown(labels: Readonly<Record<string, string>>): boolean {
    const kind = Object.values(labels).join(' ');
    if (this.#ended.has(kind)) return true;
    if (this.#ended.size >= MAX_ENDED || kind.length > MAX_ENDED_LENGTH) return false;
    this.#ended.add(kind);
    return true;
  }

  #record(series: RequestSeries, outcome: ExchangeOutcome, { context, request }: Exchange): void {
    const { status, bytesWritten } = outcome;
    const elapsed = performance.now() - context.startedAt;
    series.count(status).value++;
    if (context.user?.name === wellKnownUsers.apiServer) this.#countOwn(series);
    this.#noteFieldValidation(request.rawQuery, () => request.query);
    series.duration.observe(elapsed / 1_000);
    series.sli?.observe((elapsed - totalWait(context)) / 1_000);
    series.size?.observe(bytesWritten);
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

  #seriesOf(info: RequestInfo, kind: RequestKind): RequestSeries {
    for (let i = 0; i < this.#recent.length; i++) {
      const one = this.#recent[i] as Recent;
      if (isSameKind(one.kind, kind) && isSamePlace(one.info, info)) return one.series;
    }
    const { verb, scope, dryRun, isSized } = kind;
    const what = `${info.verb} ${info.apiGroup} ${info.apiVersion} ${info.resource} ${subresourceOf(info)}`;
    const series = this.#seriesByName(`${verb} ${scope} ${dryRun} ${isSized} ${what}`, info, kind);
    this.#recent[this.#oldest] = { info, kind, series };
    this.#oldest = (this.#oldest + 1) % MAX_RECENT;
    return series;
  }

  #seriesByName(name: string, info: RequestInfo, kind: RequestKind): RequestSeries {
    const known = this.#series.get(name);
    if (known !== undefined) return known;
    const { isSized, dryRun } = kind;
    const hasObjective = info.verb !== 'watch' && dryRun === '';
    const series = new RequestSeries(this.#families, labelsOf(info, kind), { isSized, hasObjective });
    if (this.#series.size < MAX_KINDS) this.#series.set(name, series);
    return series;
  }
}

function labelsOf(info: RequestInfo, { verb, dryRun, scope }: RequestKind): Labels<RequestLabel | 'dry_run'> {
  return {
    verb,
    dry_run: dryRun,
    scope,
    group: info.apiGroup,
    version: info.apiVersion,
    resource: info.resource,
    subresource: subresourceOf(info),
    component: info.isResourceRequest ? COMPONENT : '',
  };
}

/** Upstream: ValidateFieldValidation */
const FIELD_VALIDATIONS: ReadonlySet<string> = new Set(['', 'Ignore', 'Warn', 'Strict']);
