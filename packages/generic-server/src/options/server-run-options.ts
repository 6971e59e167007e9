import { afterPromises, monotonicClock } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { FlowControl } from '@apiserver/flowcontrol';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { compileOrigins } from '../request/origin-matcher.js';

const CORS_HELP =
  "Comma-separated regular expressions of allowed CORS origins; none turns CORS off. Each must match the whole host: begin it with '^' or '//', end it with '$' or ':'. Examples: '//example.com(:|$)', '^https://example.com(:|$)'";
const MAX_GOAWAY_CHANCE = 0.02;

/** Features of which the options depend. */
export interface ServerRunFeatures {
  /** Lists cost by bytes. Upstream feature gate: SizeBasedListCostEstimate. Default: true. */
  readonly sizeBasedListCost?: boolean;
  /** Watches cost as lists do. Upstream feature gate: WatchList. Default: true. */
  readonly watchLists?: boolean;
}

/**
 * Options of all requests: the "generic" section. Times are milliseconds.
 * Upstream: k8s.io/apiserver/pkg/server/options.ServerRunOptions
 */
export class ServerRunOptions {
  /** `--advertise-address`; "" for the listening address. */
  advertiseAddress = '';
  /** `--external-hostname`; "" for the advertised address. */
  externalHost = '';
  /** `--cors-allowed-origins` */
  corsAllowedOrigins: readonly string[] = [];
  /** `--strict-transport-security-directives` */
  hstsDirectives: readonly string[] = [];
  /** `--max-requests-inflight` */
  maxRequestsInFlight = 400;
  /** `--max-mutating-requests-inflight` */
  maxMutatingRequestsInFlight = 200;
  /** `--enable-priority-and-fairness` */
  enablePriorityAndFairness = true;
  /** `--request-timeout` */
  requestTimeout = 60_000;
  /** `--min-request-timeout`, in seconds */
  minRequestTimeoutSeconds = 1_800;
  /** `--goaway-chance`: the part of HTTP/2 requests after which a client must open a new connection. */
  goawayChance = 0;
  /** `--livez-grace-period` */
  livezGracePeriod = 0;
  /** `--storage-initialization-timeout` */
  storageInitializationTimeout = 60_000;
  /** `--shutdown-delay-duration` */
  shutdownDelayDuration = 0;
  /** `--shutdown-send-retry-after` */
  shutdownSendRetryAfter = false;
  /** `--shutdown-watch-termination-grace-period` */
  shutdownWatchTerminationGracePeriod = 0;

  addFlags(flags: FlagSet): void {
    flags.ip(
      'advertise-address',
      field(this, 'advertiseAddress'),
      'IP address that other members of the cluster use to reach this server. Default: the address of --bind-address.',
    );
    flags.string(
      'external-hostname',
      field(this, 'externalHost'),
      'Host name for external clients, for example in discovery.',
    );
    flags.stringSlice('cors-allowed-origins', field(this, 'corsAllowedOrigins'), CORS_HELP);
    flags.stringSlice(
      'strict-transport-security-directives',
      field(this, 'hstsDirectives'),
      "Comma-separated directives of the Strict-Transport-Security header; none omits the header. Example: 'max-age=31536000,includeSubDomains,preload'",
    );
    this.#addLimitFlags(flags);
    this.#addStartAndShutdownFlags(flags);
  }

  #addLimitFlags(flags: FlagSet): void {
    flags.int(
      'max-requests-inflight',
      field(this, 'maxRequestsInFlight'),
      'Maximum number of read-only requests in flight; more are refused with 429. 0: no limit. With --enable-priority-and-fairness, this plus --max-mutating-requests-inflight is the number of seats.',
    );
    flags.int(
      'max-mutating-requests-inflight',
      field(this, 'maxMutatingRequestsInFlight'),
      'Maximum number of mutating requests in flight; more are refused with 429. 0: no limit. With --enable-priority-and-fairness, this plus --max-requests-inflight is the number of seats.',
    );
    flags.bool(
      'enable-priority-and-fairness',
      field(this, 'enablePriorityAndFairness'),
      'Share the server fairly among flows of requests. False: the two flags --max-*-inflight limit requests.',
    );
    flags.duration(
      'request-timeout',
      field(this, 'requestTimeout'),
      'Maximum duration of a request, except watches and other long-running ones. A client can ask for less by ?timeout=.',
    );
    flags.int(
      'min-request-timeout',
      field(this, 'minRequestTimeoutSeconds'),
      'Minimum duration of a watch in seconds, if its client sets no timeout. The actual one is random, below twice this value.',
    );
    flags.float(
      'goaway-chance',
      field(this, 'goawayChance'),
      'Fraction of HTTP/2 requests that get a GOAWAY. The client then connects again, perhaps to another server. 0: none; maximum .02. Do not use it with a single server.',
    );
    flags.duration(
      'livez-grace-period',
      field(this, 'livezGracePeriod'),
      'Time after the start during which /livez ignores unfinished post-start hooks of the outermost server.',
    );
  }

  #addStartAndShutdownFlags(flags: FlagSet): void {
    flags.duration(
      'storage-initialization-timeout',
      field(this, 'storageInitializationTimeout'),
      'Maximum time to wait for watch caches before the server is ready.',
    );
    flags.duration(
      'shutdown-delay-duration',
      field(this, 'shutdownDelayDuration'),
      'Delay between the termination signal and the end of serving. Meanwhile requests are served, but /readyz fails, so that load balancers stop sending traffic.',
    );
    flags.bool(
      'shutdown-send-retry-after',
      field(this, 'shutdownSendRetryAfter'),
      'Keep listening while requests in flight finish, and refuse new requests with 429 and Retry-After.',
    );
    flags.duration(
      'shutdown-watch-termination-grace-period',
      field(this, 'shutdownWatchTerminationGracePeriod'),
      'Period over which open watches are closed on shutdown, 200 or more each second, so that clients do not reconnect at once. 0: all are closed together.',
    );
  }

  validate(): readonly Error[] {
    const negative = (value: number, message: string) => (value < 0 ? [new Error(message)] : []);
    return [
      ...negative(this.livezGracePeriod, '--livez-grace-period can not be a negative value'),
      ...negative(this.maxRequestsInFlight, '--max-requests-inflight can not be negative value'),
      ...negative(this.maxMutatingRequestsInFlight, '--max-mutating-requests-inflight can not be negative value'),
      ...negative(this.requestTimeout, '--request-timeout can not be negative value'),
      ...(this.goawayChance < 0 || this.goawayChance > MAX_GOAWAY_CHANCE
        ? [new Error('--goaway-chance can not be less than 0 or greater than 0.02')]
        : []),
      ...negative(this.minRequestTimeoutSeconds, '--min-request-timeout can not be negative value'),
      ...negative(this.storageInitializationTimeout, '--storage-initialization-timeout can not be negative value'),
      ...negative(this.shutdownDelayDuration, '--shutdown-delay-duration can not be negative value'),
      ...negative(
        this.shutdownWatchTerminationGracePeriod,
        'shutdown-watch-termination-grace-period, if provided, can not be a negative value',
      ),
      ...aggregated(this.hstsDirectives.flatMap(hstsErrors)),
      ...aggregated(this.corsAllowedOrigins.flatMap(corsErrors)),
    ];
  }

  /**
   * Rejects for limits without a sum, and for an origin that is not a regular expression. Only this method loads the
   * engine that can tell.
   */
  async applyTo(config: GenericServerConfig, features: ServerRunFeatures = {}): Promise<void> {
    if (this.enablePriorityAndFairness) config.flowControl = this.#flowControl(config, features);
    if (this.corsAllowedOrigins.length > 0) {
      config.isAllowedOrigin = await compileOrigins(this.corsAllowedOrigins).catch((error: unknown) => {
        throw new Error(invalidOrigin(messageOf(error)), { cause: error });
      });
    }
    config.externalAddress = this.externalHost === '' ? this.advertiseAddress : this.externalHost;
    config.hstsDirectives = this.hstsDirectives;
    config.maxRequestsInFlight = this.maxRequestsInFlight;
    config.maxMutatingRequestsInFlight = this.maxMutatingRequestsInFlight;
    config.requestTimeout = this.requestTimeout;
    config.minRequestTimeoutSeconds = this.minRequestTimeoutSeconds;
    config.goawayChance = this.goawayChance;
    config.livezGracePeriod = this.livezGracePeriod;
    config.storageInitializationTimeout = this.storageInitializationTimeout;
    config.shutdownDelayDuration = this.shutdownDelayDuration;
    config.shutdownSendRetryAfter = this.shutdownSendRetryAfter;
    config.shutdownWatchTerminationGracePeriod = this.shutdownWatchTerminationGracePeriod;
  }

  #flowControl(
    { logger, metrics }: GenericServerConfig,
    { sizeBasedListCost = true, watchLists = true }: ServerRunFeatures,
  ): FlowControl {
    const { maxRequestsInFlight, maxMutatingRequestsInFlight } = this;
    checkSeats(maxRequestsInFlight, maxMutatingRequestsInFlight);
    return new FlowControl({
      seats: maxRequestsInFlight + maxMutatingRequestsInFlight,
      clock: monotonicClock,
      loop: { now: () => performance.now(), nextTurn: (callback) => void setImmediate(callback), afterPromises },
      logger: logger.named('flowcontrol'),
      metrics,
      bySize: sizeBasedListCost,
      watchLists,
    });
  }
}

/** Upstream: FeatureOptions.ApplyTo of k8s.io/apiserver/pkg/server/options/feature.go */
function checkSeats(reading: number, writing: number): void {
  if (reading + writing > 0) return;
  throw new RangeError(
    `invalid configuration: MaxRequestsInFlight=${reading} and MaxMutatingRequestsInFlight=${writing}; they must add up to something positive`,
  );
}

function aggregated(messages: readonly string[]): Error[] {
  return messages.length === 0 ? [] : [new Error(aggregateMessages(messages))];
}

function hstsErrors(directive: string): string[] {
  if (directive.trim() === '') return ['empty value in strict-transport-security-directives'];
  if (/^(includeSubDomains|preload|max-age=[^=]*)$/.test(directive)) return [];
  return [
    '--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information',
  ];
}

/** A pattern that does not match the whole host allows others. */
function corsErrors(pattern: string): string[] {
  if (pattern === '') return [`empty value in --cors-allowed-origins, help: ${CORS_HELP}`];
  const pinned = /\^|\/\//.test(pattern) && /[$:]/.test(pattern);
  return pinned ? [] : [invalidOrigin('regular expression does not pin to start/end of host in the origin header')];
}

function invalidOrigin(why: string): string {
  return `--cors-allowed-origins has an invalid regular expression: ${why}, help: ${CORS_HELP}`;
}
