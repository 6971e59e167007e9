import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { compileOrigins } from '../request/origin-matcher.js';

const corsHelp =
  "Regular expressions of the origins that browser pages may call from, comma separated; none turns CORS off. Each must hold the whole host: begin it with '^' or '//', end it with '$' or ':'. Examples: '//example.com(:|$)', '^https://example.com(:|$)'";
const PRIORITY_AND_FAIRNESS =
  '--enable-priority-and-fairness: true is not built; requests are limited by --max-requests-inflight and --max-mutating-requests-inflight';

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
  /** `--enable-priority-and-fairness`: only false is built; upstream's default is true. */
  enablePriorityAndFairness = false;
  /** `--request-timeout` */
  requestTimeout = 60_000;
  /** `--min-request-timeout`, in seconds */
  minRequestTimeoutSeconds = 1_800;
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
      'IP address under which other members of the cluster reach this server. Without it the one of --bind-address.',
    );
    flags.string('external-hostname', field(this, 'externalHost'), 'Host name that clients outside are told to use.');
    flags.stringSlice('cors-allowed-origins', field(this, 'corsAllowedOrigins'), corsHelp);
    flags.stringSlice(
      'strict-transport-security-directives',
      field(this, 'hstsDirectives'),
      "Directives of the Strict-Transport-Security header, comma separated; none leaves it out. Example: 'max-age=31536000,includeSubDomains,preload'",
    );
    this.#addLimitFlags(flags);
    this.#addStartAndShutdownFlags(flags);
  }

  #addLimitFlags(flags: FlagSet): void {
    flags.int(
      'max-requests-inflight',
      field(this, 'maxRequestsInFlight'),
      'Reading requests that may be under way at once; more are refused with 429. 0 for no limit.',
    );
    flags.int(
      'max-mutating-requests-inflight',
      field(this, 'maxMutatingRequestsInFlight'),
      'Writing requests that may be under way at once; more are refused with 429. 0 for no limit.',
    );
    flags.bool(
      'enable-priority-and-fairness',
      field(this, 'enablePriorityAndFairness'),
      'Share the server among flows of requests. Not built: requests are limited by the two flags --max-*-inflight.',
    );
    flags.duration(
      'request-timeout',
      field(this, 'requestTimeout'),
      'Time that a request may take, unless it is a watch or the like. A client can ask for less by ?timeout=.',
    );
    flags.int(
      'min-request-timeout',
      field(this, 'minRequestTimeoutSeconds'),
      'Seconds that a watch lives at least when its client gives no time; it ends at random before twice that.',
    );
    flags.duration(
      'livez-grace-period',
      field(this, 'livezGracePeriod'),
      'Time from the start during which /livez does not mind post-start hooks that have not finished.',
    );
  }

  #addStartAndShutdownFlags(flags: FlagSet): void {
    flags.duration(
      'storage-initialization-timeout',
      field(this, 'storageInitializationTimeout'),
      'Time that the server waits for its watch caches before it says that it is ready.',
    );
    flags.duration(
      'shutdown-delay-duration',
      field(this, 'shutdownDelayDuration'),
      'Time between the signal and the end of serving. Requests are served as ever meanwhile, only /readyz fails, so that load balancers can turn away.',
    );
    flags.bool(
      'shutdown-send-retry-after',
      field(this, 'shutdownSendRetryAfter'),
      'Keep listening while requests in flight finish, and refuse new ones with 429 and Retry-After.',
    );
    flags.duration(
      'shutdown-watch-termination-grace-period',
      field(this, 'shutdownWatchTerminationGracePeriod'),
      'Time over which open watches are ended on shutdown, so that their clients do not all come back at once. 0 ends them together.',
    );
  }

  validate(): readonly Error[] {
    const negative = (value: number, message: string) => (value < 0 ? [new Error(message)] : []);
    return [
      ...negative(this.livezGracePeriod, '--livez-grace-period can not be a negative value'),
      ...negative(this.maxRequestsInFlight, '--max-requests-inflight can not be negative value'),
      ...negative(this.maxMutatingRequestsInFlight, '--max-mutating-requests-inflight can not be negative value'),
      ...(this.enablePriorityAndFairness ? [new Error(PRIORITY_AND_FAIRNESS)] : []),
      ...negative(this.requestTimeout, '--request-timeout can not be negative value'),
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

  /** Rejects for an origin that is not a regular expression. Only this method loads the engine that can tell. */
  async applyTo(config: GenericServerConfig): Promise<void> {
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
    config.livezGracePeriod = this.livezGracePeriod;
    config.storageInitializationTimeout = this.storageInitializationTimeout;
    config.shutdownDelayDuration = this.shutdownDelayDuration;
    config.shutdownSendRetryAfter = this.shutdownSendRetryAfter;
    config.shutdownWatchTerminationGracePeriod = this.shutdownWatchTerminationGracePeriod;
  }
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
  if (pattern === '') return [`empty value in --cors-allowed-origins, help: ${corsHelp}`];
  const pinned = /\^|\/\//.test(pattern) && /[$:]/.test(pattern);
  return pinned ? [] : [invalidOrigin('regular expression does not pin to start/end of host in the origin header')];
}

function invalidOrigin(why: string): string {
  return `--cors-allowed-origins has an invalid regular expression: ${why}, help: ${corsHelp}`;
}
