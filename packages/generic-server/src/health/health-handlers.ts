import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { ApiResponse, Exchange, Handler, Logger } from '@apiserver/apiserver-contracts';
import { laterTurn } from '../filters/later-turn.js';
import type { SliMetrics } from '../metrics/sli-metrics.js';
import { plainText, plainTextError } from '../serving/transport/plain-text.js';
import type { HealthCheck } from './health-check.js';

/** Names in the log of checks that a client wants to exclude and that do not exist. */
const MAX_LOGGED_NAMES = 100;
const MANY_NAMES = 1_000;

/**
 * The handlers of one health endpoint by path: the whole (`/readyz`, with ?verbose and ?exclude=name) and each of its
 * checks (`/readyz/ping`).
 * Upstream: k8s.io/apiserver/pkg/server/healthz.InstallPathHandler
 */
export function healthHandlers(
  path: string,
  checks: readonly HealthCheck[],
  { logger, slis }: HealthReporting,
): ReadonlyMap<string, Handler> {
  const name = path.slice(1).split('/', 1)[0] ?? '';
  return new Map<string, Handler>([
    [path, (exchange) => respondAll(exchange, { name, checks, logger, slis })],
    ...checks.map((check) => [`${path}/${check.name}`, (exchange: Exchange) => respondOne(exchange, check)] as const),
  ]);
}

/** Where the results of checks are reported. */
export interface HealthReporting {
  readonly logger: Logger;
  readonly slis: Pick<SliMetrics, 'observe'>;
}

interface Endpoint extends HealthReporting {
  readonly name: string;
  readonly checks: readonly HealthCheck[];
}

async function respondAll(exchange: Exchange, { name, checks, logger, slis }: Endpoint): Promise<ApiResponse> {
  const { query } = exchange.request;
  const excluded = new Set(query.getAll('exclude'));
  const excludedGroups: ReadonlySet<string> = new Set(excluded);
  const failures: { readonly name: string; readonly reason: string }[] = [];
  let report = '';
  for (const check of checks) {
    if (excluded.delete(check.name) || (check.group !== undefined && excludedGroups.has(check.group))) {
      report += `[+]${check.name} excluded: ok\n`;
      continue;
    }
    const reason = await failureOf(check, exchange);
    slis.observe(check.name, name, reason === undefined);
    report += reason === undefined ? `[+]${check.name} ok\n` : `[-]${check.name} failed: reason withheld\n`;
    if (reason !== undefined) failures.push({ name: check.name, reason });
  }
  if (excluded.size > 0) {
    const names = [...excluded].slice(0, MAX_LOGGED_NAMES).map(quote).join(',');
    logger.warning('cannot exclude some health checks, no health checks are installed matching', { names });
    if (failures.length > 0 || query.has('verbose')) report += await unmatchedText(excluded);
  }
  if (failures.length > 0) {
    const names = failures.map((failure) => failure.name).join(',');
    const reasons = failures.map((failure) => `[-]${failure.name} failed: ${failure.reason}`).join('\n');
    logger.v(2)?.info(`${names} check failed: ${name}`, { failures: reasons });
    return plainTextError(exchange, 500, `${report}${name} check failed`);
  }
  exchange.responseHeaders.set('x-content-type-options', 'nosniff');
  return plainText(exchange, 200, query.has('verbose') ? `${report}${name} check passed\n` : 'ok');
}

/** Of many names, the text is made in a turn of its own: clients without credentials may send them. */
async function unmatchedText(names: ReadonlySet<string>): Promise<string> {
  if (names.size > MANY_NAMES) await laterTurn();
  return `warn: some health checks cannot be excluded: no matches for ${[...names].sort().map(quote).join(',')}\n`;
}

async function respondOne(exchange: Exchange, check: HealthCheck): Promise<ApiResponse> {
  const failure = await failureOf(check, exchange);
  return failure === undefined
    ? plainText(exchange, 200, 'ok')
    : plainTextError(exchange, 500, `internal server error: ${failure}`);
}

async function failureOf(check: HealthCheck, exchange: Exchange): Promise<string | undefined> {
  try {
    await check.check(exchange);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
