import { afterAll, beforeAll, describe, it } from 'vitest';
import { modulesMissing } from '../envtest/go-tests.ts';
import type { Backends } from './backends/aggregated-backends.ts';
import { startAggregated } from './backends/aggregated-servers.ts';
import { compareCases } from './compare-cases.ts';
import { type LiveResponse, type LiveServer, START_DEADLINE_MS } from './live-servers.ts';
import { type AggregationCase, randomAggregationCase } from './random-aggregation.ts';
import { upstreamFolder } from './upstream-folder.ts';

const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const ADMIN = { authorization: 'Bearer admin' };
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** Discovery and OpenAPI of a server are read in the background. */
const PATIENCE_MS = 3_500;
/** A server that never answers takes five seconds. */
const CONDITION_PATIENCE_MS = 15_000;
const POLL_MS = 100;

const missing = modulesMissing(upstreamFolder);

describe.skipIf(missing !== undefined)(`aggregation${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let backends: Backends;
  let theirs: LiveServer;
  let ours: LiveServer;

  beforeAll(async () => {
    ({ backends, theirs, ours } = await startAggregated(stack, 'aggregator'));
  }, START_DEADLINE_MS);
  afterAll(() => stack.disposeAsync());

  it('is that of upstream’s aggregator', () =>
    compareCases<AggregationCase, object[]>(
      { ask: (_, one) => lifeOf(theirs, one as AggregationCase) as never },
      {
        area: 'aggregation',
        randomCase: (random) => randomAggregationCase(random, backends),
        batch: 20,
        atOnce: 20,
        mostAsked: 1,
        ours: (one) => lifeOf(ours, one),
        difference: (their, our, one) => {
          const found = differencesOf(their, our, '');
          return found.length === 0 ? undefined : { kind: one.kind, found };
        },
      },
    ));
});

/** Paths to the members that differ, with both values. */
function differencesOf(theirs: unknown, ours: unknown, path: string): unknown[] {
  if (typeof theirs !== 'object' || typeof ours !== 'object' || theirs === null || ours === null) {
    return theirs === ours ? [] : [{ path, theirs, ours }];
  }
  const names = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  const member = (of: object, name: string): unknown => (of as Record<string, unknown>)[name];
  return [...names].flatMap((name) => differencesOf(member(theirs, name), member(ours, name), `${path}/${name}`));
}

/** Creates an APIService, waits for its condition, uses it and deletes it. */
async function lifeOf(
  server: LiveServer,
  { group, version, kind, object, requests }: AggregationCase,
): Promise<object[]> {
  const { apiVersion, metadata } = object as { apiVersion: string; metadata: { name: string } };
  const collection = API_SERVICES.replace('/v1/', `/${apiVersion.split('/')[1]}/`);
  const headers = { ...ADMIN, 'content-type': 'application/json' };
  const send = (method: string, path: string, body?: string) =>
    server.send({ method, path, headers, ...(body !== undefined && { body }) });
  const created = await send('POST', collection, JSON.stringify(object));
  const steps: object[] = [{ step: 'create', ...comparable(created) }];
  if (created.status !== 201) return steps;
  const path = `${API_SERVICES}/${metadata.name}`;
  const settled = await until(
    () => send('GET', path),
    ({ body }) => JSON.parse(body.toString()).status?.conditions?.[0]?.reason !== undefined,
    CONDITION_PATIENCE_MS,
  );
  steps.push({ step: 'condition', ...comparable(settled) });
  // Requests are passed on a moment after the condition has been written.
  if (settled.body.includes('"status":"True"')) {
    await until(
      () => send('GET', `/apis/${group}/${version}`),
      ({ status }) => status !== 503,
      PATIENCE_MS,
    );
  }
  for (const request of requests) steps.push({ step: 'request', ...request, ...(await attempt(server, request)) });
  const whole = await until(
    () => server.send({ method: 'GET', path: '/apis', headers: { ...ADMIN, accept: AGGREGATED } }),
    ({ body }) => itemOf(body, group)?.versions?.[0]?.freshness === 'Current',
    PATIENCE_MS,
  );
  steps.push({ step: 'aggregated discovery', item: itemOf(whole.body, group) ?? null });
  const groups = JSON.parse((await send('GET', '/apis')).body.toString()).groups as { name: string }[];
  steps.push({ step: 'groups', group: groups.find(({ name }) => name === group) ?? null });
  for (const one of [`/apis/${group}`, `/apis/${group}/`, `/apis/${group}/${version}`]) {
    steps.push({ step: 'discovery', path: one, ...comparable(await send('GET', one)) });
  }
  const document = `apis/${group}/${version}`;
  const root = await until(
    () => send('GET', '/openapi/v3'),
    ({ body }) => JSON.parse(body.toString()).paths[document] !== undefined,
    PATIENCE_MS,
  );
  // Upstream converts version 2 of a server that has no version 3.
  const isOld = kind === 'legacy';
  steps.push({ step: 'OpenAPI', path: isOld ? null : (JSON.parse(root.body.toString()).paths[document] ?? null) });
  if (!isOld) steps.push({ step: 'OpenAPI v3', ...comparable(await send('GET', `/openapi/v3/${document}`)) });
  steps.push({ step: 'delete', ...comparable(await send('DELETE', path)) });
  const gone = await until(
    () => send('GET', `/apis/${group}`),
    ({ status }) => status === 404,
    PATIENCE_MS,
  );
  steps.push({ step: 'deleted', status: gone.status });
  return steps;
}

async function attempt(server: LiveServer, request: AggregationCase['requests'][number]): Promise<object> {
  try {
    return comparable(await server.send(request));
  } catch (error) {
    return { error: String(error) };
  }
}

async function until(
  send: () => Promise<LiveResponse>,
  isEnough: (response: LiveResponse) => boolean,
  patience: number,
): Promise<LiveResponse> {
  const end = performance.now() + patience;
  for (;;) {
    const response = await send();
    if (isEnough(response) || performance.now() > end) return response;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function itemOf(body: Buffer, group: string) {
  const { items } = JSON.parse(body.toString()) as {
    items: { metadata: { name: string }; versions?: { freshness: string }[] }[];
  };
  return items.find(({ metadata }) => metadata.name === group);
}

const CHANGING = ['uid', 'creationTimestamp', 'resourceVersion', 'time', 'lastTransitionTime'];

function comparable({ status, headers, body }: LiveResponse): object {
  const {
    ':status': _,
    date: _date,
    'content-length': _length,
    'audit-id': id,
    'last-modified': _modified,
    ...rest
  } = headers;
  const shown = Object.entries({ ...rest, 'audit-id': comparableId(id) }).sort(([a], [b]) => (a < b ? -1 : 1));
  return { status, headers: Object.fromEntries(shown), body: comparableBody(body.toString()) };
}

function comparableId(id: unknown): unknown {
  return typeof id === 'string' ? id.replace(/^[0-9a-f-]{36}(?=$|,)/, 'random') : id;
}

function comparableBody(text: string): unknown {
  // Upstream's program has an index of paths in the place of the text.
  if (/^404 page not found|^\{\n? *"paths": ?\[/.test(text)) return 'none';
  try {
    return JSON.parse(text, (name, value) => {
      // The manager of a status has the name of the program.
      if (name === 'managedFields') return undefined;
      if (CHANGING.includes(name)) return name.toUpperCase();
      // Go's transport asks for a compressed response where the client does not, and decompresses it.
      if (name === 'accept-encoding') return value[0] === 'gzip' ? undefined : value;
      if (name === 'message' && typeof value === 'string') {
        return value.replace(/current time \S+ is/, 'current time NOW is');
      }
      if (name === 'audit-id' || name === 'traceparent') return comparableId(value[0]) ?? value;
      return value;
    });
  } catch {
    return text;
  }
}
