import { it } from 'vitest';
import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import { compareCases } from '../compare-cases.ts';
import { describeLive, type LiveRequest, type LiveServer } from '../live-servers.ts';
import { type MomentsCase, randomMoments, type Step } from './random-moments.ts';

/** Time for which requests are repeated after a step. Upstream's OpenAPI follows after a second; it is not compared. */
const MOMENT_MS = 900;
const PAUSE_MS = 15;
/** Cases that run at the same time. */
const CASES_AT_ONCE = 6;
/** A busy machine misses short moments. */
const MOST_ASKED = 3;

/** Distinct answers to one request after each step. */
type Moments = Readonly<Record<string, readonly (readonly string[])[]>>;

const ADMIN = { authorization: 'Bearer admin', 'content-type': 'application/json' };
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

function requestsOf(group: string): Readonly<Record<string, LiveRequest>> {
  const [root, first] = [`/apis/${group}`, `/apis/${group}/v1/as`];
  const get = (path: string, accept?: string): LiveRequest => ({
    method: 'GET',
    path,
    headers: { ...ADMIN, ...(accept !== undefined && { accept }) },
  });
  const body = JSON.stringify({ apiVersion: `${group}/v1`, kind: 'A', metadata: { name: 'new' }, spec: { a: 'b' } });
  return {
    list: get(first),
    second: get(`${root}/v2/as`),
    table: get(first, TABLE),
    object: get(`${first}/x`),
    status: get(`${first}/x/status`),
    namespaced: get(`${root}/v1/namespaces/n/as`),
    create: { method: 'POST', path: `${first}?dryRun=All`, headers: ADMIN, body },
    update: { method: 'PUT', path: `${first}/new?dryRun=All`, headers: ADMIN, body },
    delete: { method: 'DELETE', path: `${first}/x?dryRun=All`, headers: ADMIN },
    group: get(root),
    v1: get(`${root}/v1`),
    v2: get(`${root}/v2`),
    aggregated: get('/apis', AGGREGATED),
  };
}

const CHANGING = /"(uid|resourceVersion|creationTimestamp|deletionTimestamp|time|storageVersionHash)":"[^"]*"/g;
/** Ages in tables. */
const AGES = /"\d+s"/g;
const UIDS = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;

async function answered(server: LiveServer, name: string, request: LiveRequest, group: string): Promise<string> {
  const { status, headers, body } = await server.send(request);
  const text = name === 'aggregated' ? entryOf(body.toString(), group) : body.toString();
  const shown = text
    .replaceAll(group, 'GROUP')
    .replace(CHANGING, '"$1":"…"')
    .replace(UIDS, 'UID')
    .replace(AGES, '"AGE"');
  return `${status} ${headers['retry-after'] ?? ''} ${headers['warning'] ?? ''} ${shown}`;
}

function entryOf(list: string, group: string): string {
  const { items } = JSON.parse(list) as { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
  return JSON.stringify(items.find(({ metadata }) => metadata.name === group) ?? null);
}

/** Repeats the requests while the steps are taken, then removes what is left. */
async function momentsOf(server: LiveServer, { group, steps }: MomentsCase): Promise<Moments> {
  const seen: Record<string, string[][]> = {};
  let moment = 0;
  let isOver = false;
  const repeat = async ([name, request]: readonly [string, LiveRequest]) => {
    const moments = steps.map((): string[] => []);
    seen[name] = moments;
    while (!isOver) {
      const [begun, answer] = [moment, await answered(server, name, request, group)];
      // An answer that came while a step was taken belongs to neither moment.
      if (begun === moment && moments[begun]?.at(-1) !== answer) moments[begun]?.push(answer);
      await sleep(PAUSE_MS);
    }
  };
  const repeated = Object.entries(requestsOf(group)).map(repeat);
  for (const [at, step] of steps.entries()) {
    await take(server, step);
    moment = at;
    await sleep(MOMENT_MS);
  }
  isOver = true;
  await Promise.all(repeated);
  await remove(server, group);
  return seen;
}

async function take(server: LiveServer, { method, path, body }: Step): Promise<void> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { ...ADMIN, 'content-type': type };
  const text = body && JSON.stringify(body);
  // An object cannot be made before its definition is served.
  for (let left = 40; left > 0; left--) {
    const { status } = await server.send({ method, path, headers, ...(text !== undefined && { body: text }) });
    if (status !== 404 || method !== 'POST') return;
    await sleep(50);
  }
}

/** The definition is gone afterwards, so that the case can be taken again. */
async function remove(server: LiveServer, group: string): Promise<void> {
  const path = `${DEFINITIONS}/as.${group}`;
  await take(server, { method: 'DELETE', path });
  while ((await server.send({ method: 'GET', path, headers: ADMIN })).status !== 404) {
    await release(server, `/apis/${group}/v1/as/x`);
    await release(server, `/apis/${group}/v2/as/x`);
    await sleep(50);
  }
}

async function release(server: LiveServer, path: string): Promise<void> {
  const { status, body } = await server.send({ method: 'GET', path, headers: ADMIN });
  if (status !== 200) return;
  const held = JSON.parse(body.toString());
  await take(server, { method: 'PUT', path, body: { ...held, metadata: { ...held.metadata, finalizers: [] } } });
}

/** Ours may be too fast for a moment, but has no answer that upstream lacks, and the same one in the end. */
function differenceOf(theirs: Moments, ours: Moments): unknown {
  for (const [name, moments] of Object.entries(theirs)) {
    for (const [at, found] of moments.entries()) {
      const possible = found.filter((answer) => !answer.includes('storage is (re)initializing'));
      const own = ours[name]?.[at] ?? [];
      // A create just after the definition waits for two seconds upstream.
      if (possible.length === 0 || own.length === 0) continue;
      const isSame = possible.at(-1) === own.at(-1);
      const before = moments[at - 1]?.at(-1);
      const foreign = own.filter((answer) => answer !== before && !possible.includes(answer));
      if (!isSame || foreign.length > 0) return { name, at, theirs: possible, ours: own };
    }
  }
  return undefined;
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

describeLive('moments of a definition', {}, (servers) => {
  it('have the answers of upstream’s server', async () => {
    const { theirs, ours } = servers();
    await compareCases<MomentsCase, Moments>(
      { ask: async <T>(_area: string, one: object) => (await momentsOf(theirs, one as MomentsCase)) as T },
      {
        area: 'moments',
        randomCase: randomMoments,
        ours: (one) => momentsOf(ours, one),
        difference: differenceOf,
        batch: CASES_AT_ONCE,
        atOnce: CASES_AT_ONCE,
        mostAsked: MOST_ASKED,
      },
    );
  });
});
