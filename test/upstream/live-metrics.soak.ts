import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { makeLiveObjects } from './live-objects.ts';
import { describeLive, type LiveRequest, type LiveServer } from './live-servers.ts';
import { randomDecision } from './random-decision.ts';

const GROUP = 'live.example.com';
const ROOT = `/apis/${GROUP}/v1`;
const PATHS = [
  ...[`${ROOT}/namespaces/n/widgets`, `${ROOT}/namespaces/n/widgets/a`, `${ROOT}/namespaces/n/widgets/a/status`],
  ...[`${ROOT}/widgets`, `${ROOT}/namespaces/n/widgets/none`, `${ROOT}/namespaces/n/widgets/a/scale`, `${ROOT}/none`],
  ...[`/apis/${GROUP}/v1beta1/namespaces/n/widgets`, `/apis/${GROUP}/v1beta1/namespaces/n/widgets/b`],
  ...[
    `/apis/${GROUP}/v9/widgets`,
    `${ROOT}/watch/widgets`,
    `${ROOT}/watch/namespaces/n/widgets/a`,
    `${ROOT}/widgets/a`,
  ],
  ...[`${ROOT}/namespaces/n/none/a/b/c`, `${ROOT}/namespaces/n`, ROOT, '/apis/none', `/apis/${GROUP}`],
  ...['/version', '/healthz', '/livez/ping', '/readyz/etcd', '/livez/none', '/none', '/debug/none', '/metrics/slis'],
  ...['/apis/apiextensions.k8s.io/v1/customresourcedefinitions/none', '/openapi/v2/none', '/version/', '/a/b?watch=1'],
] as [string, ...string[]];
const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'FOO'] as const;
const PARAMETERS = [
  ...['dryRun=All', 'dryRun=All&dryRun=All', 'dryRun=x', 'dryRun=', 'fieldValidation=Strict', 'fieldValidation=x'],
  ...['watch=true', 'watch=true&timeoutSeconds=1', 'watch=1&sendInitialEvents=true', 'limit=1', 'limit=x'],
  ...['watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan'],
  ...['fieldSelector=metadata.name=a', 'fieldSelector=metadata.name=a&watch=true', 'resourceVersion=0', 'timeout=x'],
  ...['fieldValidation=Warn&fieldValidation=Ignore', 'resourceVersion=1&resourceVersionMatch=Exact', 'pretty=1'],
  ...['watch=true&resourceVersion=1', 'continue=x', 'propagationPolicy=x', 'fieldManager=x', 'force=true'],
] as [string, ...string[]];
const TYPES = [
  ...['application/json', 'application/merge-patch+json', 'application/json-patch+json', 'application/yaml', 'x'],
  ...['application/apply-patch+yaml', 'application/strategic-merge-patch+json', 'application/vnd.kubernetes.protobuf'],
  ...['application/apply-patch+cbor', 'application/cbor'],
] as [string, ...string[]];
const BODIES = [
  '{}',
  ...['{"spec":{"color":"red"}}', '[]', '{', '[{"op":"test","path":"/spec/size","value":9}]'],
  `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"unknown":1}}`,
  `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"generateName":"g-"}}`,
  `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"none"},"spec":{"size":"x"}}`,
] as const;
const USERS = ['admin', 'admin', 'admin', 'alice', 'x', 'bob'] as const;

interface MetricsCase {
  readonly request: LiveRequest;
}

function randomCase(random: Random): MetricsCase {
  const method = random.of(METHODS);
  const path = random.of(PATHS);
  const parameters = Array.from({ length: random.below(3) }, () => random.of(PARAMETERS));
  if (method === 'DELETE' || path.includes('apiextensions')) parameters.push('dryRun=All');
  const query = parameters.length === 0 ? '' : `${path.includes('?') ? '&' : '?'}${parameters.join('&')}`;
  const hasBody = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) && random.chance(0.9);
  const headers = {
    ...(random.chance(0.95) && { authorization: `Bearer ${random.of(USERS)}` }),
    ...(random.chance(0.1) && { 'impersonate-user': random.of(['carol', 'system:anonymous', '']) }),
    ...(random.chance(0.1) && { accept: random.of(['application/yaml', 'text/html', 'application/cbor']) }),
    ...(random.chance(0.2) && { 'user-agent': random.of(['Mozilla/5.0', 'kubectl/v1.36', '']) }),
    ...(hasBody && { 'content-type': random.of(TYPES) }),
  };
  return { request: { method, path: `${path}${query}`, headers, ...(hasBody && { body: random.of(BODIES) }) } };
}

/** Metrics that requests of these cases change alike on both servers. Times are left out. */
const COMPARED =
  /^(?:apiserver_request_(?:total|duration_seconds_count|sli_duration_seconds_count|body_size_bytes|filter_duration_seconds_count|aborts_total)|apiserver_(?:response_sizes_(?:bucket|count)|requested_deprecated_apis|longrunning_requests|selfrequest_total|watch_events_total|watch_list_duration_seconds_count|watch_events_sizes_count)|apiserver_impersonation_\w+_total|authenticated_user_requests|authentication_duration_seconds_count|field_validation_request_duration_seconds_count|authentication_attempts|authorization_attempts_total|apiserver_tls_handshake_errors_total)\b/;

type Values = ReadonlyMap<string, number>;

async function scrape(server: LiveServer): Promise<Values> {
  const { body } = await server.send({ method: 'GET', path: '/metrics', headers: { authorization: 'Bearer admin' } });
  const values = new Map<string, number>();
  for (const line of body.toString().split('\n')) {
    if (!COMPARED.test(line) || isOfServer(line)) continue;
    const at = line.lastIndexOf(' ');
    values.set(line.slice(0, at), Number(line.slice(at + 1)));
  }
  return values;
}

/** Reports whether a series is about scrapes, or about objects that only our server has. */
function isOfServer(line: string): boolean {
  if (line.includes('subresource="/metrics"')) return true;
  const group = /group="([^"]*)"/.exec(line)?.[1];
  const resource = /resource="([^"]*)"/.exec(line)?.[1];
  return group !== undefined && group !== GROUP && resource !== '' && !line.includes('customresourcedefinitions');
}

const SETTLED = { attempts: 20, milliseconds: 50 };

/** A server whose requests come one after another, and the changes of its metrics. */
class MeasuredServer {
  readonly #server: LiveServer;
  #before: Values = new Map();
  #last: Promise<unknown> = Promise.resolve();

  constructor(server: LiveServer) {
    this.#server = server;
  }

  answer({ request }: MetricsCase): Promise<unknown> {
    const answered = this.#last.then(() => this.#answer(request));
    this.#last = answered.catch(() => undefined);
    return answered;
  }

  async #answer(request: LiveRequest): Promise<unknown> {
    this.#before = await scrape(this.#server);
    const sent = await this.#server.send(request).catch((error: unknown) => ({ error: String(error) }));
    if ('error' in sent) return sent;
    // The end of a watch that the client leaves is noticed later.
    let changed = await this.#changes();
    for (let i = 0; i < SETTLED.attempts && !isSettled(changed, sent.isCut); i++) {
      await new Promise((resolve) => setTimeout(resolve, SETTLED.milliseconds));
      changed = await this.#changes();
    }
    return { status: sent.status, changed };
  }

  async #changes(): Promise<Record<string, number>> {
    const now = await scrape(this.#server);
    const changed = [...now].flatMap(([name, value]) => {
      const difference = value - (this.#before.get(name) ?? 0);
      return difference === 0 ? [] : [[name, difference] as const];
    });
    return Object.fromEntries(changed.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function isSettled(changed: Record<string, number>, isCut: boolean): boolean {
  const names = Object.keys(changed);
  if (names.some((name) => name.startsWith('apiserver_longrunning'))) return false;
  return !isCut || names.some((name) => name.startsWith('apiserver_request_total'));
}

/** Upstream's handlers panic about bodies in protobuf. */
function hasPanicked(answer: unknown): boolean {
  return JSON.stringify(answer).includes('NGHTTP2_INTERNAL_ERROR');
}

/**
 * Upstream counts the bytes and the events of the list or watch that a response to HEAD leaves out. Our watches begin
 * before the cache of upstream was made. To upstream, the end of a response to HEAD may be an abort of that list.
 */
function comparableText(answer: unknown, { method, path }: LiveRequest): string {
  const isOld = /[?&]resourceVersion=1(?:&|$)/.test(path);
  const ofBody = /^apiserver_(?:response_sizes_bucket|watch_events|request_aborts)/;
  return JSON.stringify(answer, (name, value) => {
    if (method === 'HEAD' && ofBody.test(name)) return undefined;
    return isOld && /^apiserver_watch_events/.test(name) ? undefined : value;
  });
}

const tokens = ['admin,admin,u-admin,system:masters', 'alice,alice,u-alice,dev', 'bob,bob,'];

describeLive('metrics', { decide: randomDecision, tokens }, (servers) => {
  it('change as those of upstream’s server', async () => {
    const { theirs, ours } = servers();
    await makeLiveObjects(theirs, false);
    await makeLiveObjects(ours, true);
    const [their, our] = [new MeasuredServer(theirs), new MeasuredServer(ours)];
    await compareCases<MetricsCase, unknown>(
      { ask: (_, one) => their.answer(one as MetricsCase) as never },
      {
        area: 'metrics',
        randomCase,
        mostAsked: 2,
        batch: 10,
        ours: (one) => our.answer(one),
        difference: (theirAnswer, ourAnswer, { request }) =>
          hasPanicked(theirAnswer) || comparableText(theirAnswer, request) === comparableText(ourAnswer, request)
            ? undefined
            : { requests: [request], theirs: theirAnswer, ours: ourAnswer },
      },
    );
  });
});
