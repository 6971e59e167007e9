import { type Exchange, type ExchangeOutcome, type RequestInfo, wellKnownUsers } from '@apiserver/apiserver-contracts';
import type { HistogramSeries, Labels, MetricsRegistry, Series } from '@apiserver/component-base/metrics';
import { totalWait } from '@apiserver/endpoints-installer';
import { requestInfoOf } from '../request/request-info-of.js';
import { metricsDryRun, metricsScope, metricsVerb, type RequestLabel } from './request-labels.js';

const base = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const withDryRun = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

const durationBounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sliBounds = durationBounds.filter((bound) => bound >= 0.05);
const sizeBounds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/** Maximum number of cached kinds of requests. Others are looked up by their labels each time. */
const maxHandles = 4_096;
/** Number of recent kinds that are found without a text key, which V8 would intern for each request. */
const maxRecent = 8;

/** The series of one kind of request. */
interface Handles {
  readonly labels: Labels<RequestLabel | 'dry_run'>;
  readonly codes: Map<number, Series>;
  readonly duration: HistogramSeries;
  /** Undefined for requests without a latency objective: watches, dry runs. */
  readonly sli: HistogramSeries | undefined;
  /** Only reads are measured. */
  readonly size: HistogramSeries | undefined;
  readonly longRunning: Series;
}

/** A recent kind of request. */
interface Recent {
  readonly info: RequestInfo;
  readonly place: string;
  readonly dryRun: string;
  readonly apply: boolean;
  readonly handles: Handles;
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
  readonly #families;
  readonly #handles = new Map<string, Handles>();
  readonly #recent: Recent[] = [];
  #oldest = 0;

  constructor(registry: MetricsRegistry) {
    this.#families = makeFamilies(registry);
  }

  /** Counts a request until it has finished. The gauge includes it meanwhile if it is `longRunning`. */
  track(exchange: Exchange, longRunning: boolean): void {
    const info = requestInfoOf(exchange);
    const handles = this.#handlesOf(exchange, info);
    if (longRunning) handles.longRunning.value++;
    exchange.onFinished((outcome) => {
      if (longRunning) handles.longRunning.value--;
      this.#record(handles, outcome, exchange);
    });
  }

  /** Counts a request for a page whose labels depend on the response. */
  monitor(exchange: Exchange, page: Pick<Labels<RequestLabel>, 'group' | 'version' | 'resource' | 'component'>): void {
    const labels = { verb: 'GET', dry_run: '', subresource: '', scope: '', ...page };
    const handles = this.#handlesByLabels(labels);
    exchange.onFinished((outcome) => this.#record(handles, outcome, exchange));
  }

  #handlesByLabels(labels: Labels<RequestLabel | 'dry_run'>): Handles {
    const name = `page ${labels.group} ${labels.version} ${labels.resource}`;
    const handles = this.#handles.get(name) ?? this.#makeHandles(labels);
    this.#handles.set(name, handles);
    return handles;
  }

  /** Counts a request that was ended to protect the server: after a timeout, or at the limit of concurrent requests. */
  terminated(exchange: Exchange, code: number): void {
    const info = exchange.context.requestInfo;
    if (info === undefined) return;
    const { dry_run: _, ...labels } = labelsOf(exchange, info);
    this.#families.terminations.with({ ...labels, code: String(code) }).value++;
  }

  #record(handles: Handles, { status, bytesWritten, aborted }: ExchangeOutcome, { context, request }: Exchange): void {
    const elapsed = performance.now() - context.startedAt;
    let count = handles.codes.get(status);
    if (count === undefined) {
      count = this.#families.total.with({ ...handles.labels, code: String(status) });
      handles.codes.set(status, count);
    }
    count.value++;
    if (context.user?.name === wellKnownUsers.apiServer) this.#countOwn(handles);
    this.#noteFieldValidation(request.rawQuery, () => request.query);
    handles.duration.observe(elapsed / 1_000);
    handles.sli?.observe((elapsed - totalWait(context)) / 1_000);
    handles.size?.observe(bytesWritten);
    if (aborted) {
      const { dry_run: _, component: __, ...labels } = handles.labels;
      this.#families.aborts.with(labels).value++;
    }
  }

  #countOwn({ labels: { verb, group, resource, subresource } }: Handles): void {
    this.#families.own.with({ verb, group, resource, subresource }).value++;
  }

  /** Makes the series of a value, and observes nothing, as upstream. Upstream: cleanFieldValidation */
  #noteFieldValidation(rawQuery: string, query: () => URLSearchParams): void {
    if (!rawQuery.includes('fieldValidation')) return;
    const [value = '', ...others] = query().getAll('fieldValidation');
    const isValid = others.length === 0 && FIELD_VALIDATIONS.has(value);
    this.#families.fieldValidation.with({ field_validation: isValid ? value : 'invalid' });
  }

  #handlesOf(exchange: Exchange, info: RequestInfo): Handles {
    const type = info.verb === 'patch' ? (exchange.request.headers.get('content-type') ?? '') : '';
    const apply = type.startsWith('application/apply-patch');
    const dryRun = metricsDryRun(exchange);
    const place = info.name === '' ? (info.namespace === '' ? 'c' : 'n') : 'r';
    for (let i = 0; i < this.#recent.length; i++) {
      const one = this.#recent[i] as Recent;
      const isSame = one.place === place && one.dryRun === dryRun && one.apply === apply;
      if (isSame && isSameKind(one.info, info)) return one.handles;
    }
    const what = `${info.verb} ${place} ${info.apiGroup} ${info.apiVersion} ${info.resource} ${subresourceOf(info)}`;
    const handles = this.#handlesByName(`${what} ${dryRun} ${apply ? 'apply' : ''}`, exchange, info);
    this.#recent[this.#oldest] = { info, place, dryRun, apply, handles };
    this.#oldest = (this.#oldest + 1) % maxRecent;
    return handles;
  }

  #handlesByName(name: string, exchange: Exchange, info: RequestInfo): Handles {
    const known = this.#handles.get(name);
    if (known !== undefined) return known;
    const handles = this.#makeHandles(labelsOf(exchange, info));
    if (this.#handles.size < maxHandles) this.#handles.set(name, handles);
    return handles;
  }

  #makeHandles(labels: Labels<RequestLabel | 'dry_run'>): Handles {
    const { duration, sli, size, longRunning } = this.#families;
    const { dry_run: dryRun, ...withoutDryRun } = labels;
    const { verb } = labels;
    return {
      labels,
      codes: new Map(),
      duration: duration.with(labels),
      sli: dryRun !== '' || verb === 'WATCH' || verb === 'CONNECT' ? undefined : sli.with(withoutDryRun),
      // A watch is a kind of list to upstream's metrics.
      size: verb === 'GET' || verb === 'LIST' || verb === 'WATCH' ? size.with(withoutDryRun) : undefined,
      longRunning: longRunning.with(withoutDryRun),
    };
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

function makeFamilies(registry: MetricsRegistry) {
  const fieldValidation = registry.histogram(
    {
      name: 'field_validation_request_duration_seconds',
      help: 'Values of fieldValidation that requests have had. No duration is observed.',
      labels: ['field_validation'],
    },
    sliBounds,
  );
  fieldValidation.with({ field_validation: '' });
  return {
    fieldValidation,
    own: registry.counter({
      name: 'apiserver_selfrequest_total',
      help: 'Requests of the API server to itself.',
      labels: ['verb', 'group', 'resource', 'subresource'],
    }),
    total: registry.counter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, dry run, group, version, resource, scope, component and response code.',
      labels: [...withDryRun, 'code'],
    }),
    duration: registry.histogram(
      {
        name: 'apiserver_request_duration_seconds',
        help: 'Time from request to end of response in seconds.',
        labels: withDryRun,
      },
      durationBounds,
    ),
    sli: registry.histogram(
      {
        name: 'apiserver_request_sli_duration_seconds',
        help: 'Time from request to end of response in seconds, without what the server only waits for.',
        labels: base,
      },
      sliBounds,
    ),
    size: registry.histogram(
      { name: 'apiserver_response_sizes', help: 'Size of responses to reads in bytes.', labels: base },
      sizeBounds,
    ),
    longRunning: registry.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Long-running requests that are open now.',
      labels: base,
    }),
    terminations: registry.counter({
      name: 'apiserver_request_terminations_total',
      help: 'Requests that the server ended in self-defence.',
      labels: [...base, 'code'],
    }),
    aborts: registry.counter({
      name: 'apiserver_request_aborts_total',
      help: 'Requests that were broken off before the response was complete.',
      labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope'],
    }),
  };
}
