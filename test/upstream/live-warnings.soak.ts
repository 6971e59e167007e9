import { it } from 'vitest';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { describeLive, type LiveServer } from './live-servers.ts';

const GROUP = 'warnings.example.com';
const WIDGETS = `/apis/${GROUP}/v1/namespaces/n/widgets`;
const SCHEMA = { properties: { spec: { type: 'object', properties: { known: { type: 'string' } } } } };

/** Characters that headers, quotes and JSON treat in a way of their own. */
const CHARACTERS = [...'ab"\\é日😀\n\t ./,%\u0001\u007f\u0085\u2028xy'] as [string, ...string[]];
/** Around the limits of one warning and of all. */
const LENGTHS = [1, 5, 40, 100, 120, 240, 250, 256, 257, 300, 1_000, 4_200] as const;
/** Node's client reads at most 128 headers. */
const COUNTS = [1, 1, 2, 5, 15, 16, 17, 20, 60, 100] as const;

interface WarnedCase {
  readonly query: string;
  readonly body: string;
}

function randomCase(random: Random): WarnedCase {
  const length = random.of(LENGTHS);
  const isPlain = random.chance(0.5);
  const members = Array.from({ length: random.of(COUNTS) }, (_, at) => {
    const tail = Array.from({ length: 1 + random.below(length) }, () => (isPlain ? 'z' : random.of(CHARACTERS)));
    return `${JSON.stringify(`f${at}${tail.join('')}`)}:1`;
  });
  const repeated = random.chance(0.3) ? members.slice(0, 1 + random.below(4)) : [];
  const unknown = random.chance(0.2) ? `,${members[0]}` : '';
  const metadata = `{"name":"a"${unknown}}`;
  const spec = `{${[...members, ...repeated].join(',')}}`;
  return {
    query: random.chance(0.25) ? 'dryRun=All&fieldValidation=Strict' : 'dryRun=All',
    body: `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":${metadata},"spec":${spec}}`,
  };
}

async function answer(server: LiveServer, { query, body }: WarnedCase): Promise<unknown> {
  const headers = { authorization: 'Bearer admin', 'content-type': 'application/json' };
  const response = await server.send({ method: 'POST', path: `${WIDGETS}?${query}`, headers, body });
  const { warning } = response.headers;
  return { status: response.status, warning, ...(response.status >= 400 && { body: response.body.toString() }) };
}

async function define(server: LiveServer): Promise<void> {
  await server.make('POST', DEFINITIONS, customResourceDefinition(GROUP, 'Widget', SCHEMA));
  const headers = { authorization: 'Bearer admin' };
  while ((await server.send({ method: 'GET', path: WIDGETS, headers })).status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describeLive('warnings', {}, (servers) => {
  it('are those of upstream’s server', async () => {
    const { theirs, ours } = servers();
    await ours.make('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    for (const server of [theirs, ours]) await define(server);
    await compareCases<WarnedCase, unknown>(
      { ask: (_, one) => answer(theirs, one as WarnedCase) as never },
      { area: 'warnings', randomCase, atOnce: 20, mostAsked: 2, ours: (one) => answer(ours, one) },
    );
  });
});
