import { Deployment } from '@apiserver/api/apps/v1';
import { ConfigMap, Node, Pod, Service } from '@apiserver/api/core/v1';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { ourServer, type SeenResponse, type SentRequest } from './our-server.ts';
import { randomPatch } from './random-patch.ts';
import { randomValue } from './random-value.ts';
import { describeUpstream } from './upstream-program.ts';

const KINDS = [ConfigMap, Node, Pod, Service, Deployment] as readonly [KindSchema, ...KindSchema[]];

interface WritesCase {
  readonly kind: object;
  readonly requests: readonly SentRequest[];
}

const schemas = new Map<object, KindSchema>();

function randomCase(random: Random): WritesCase {
  const schema = random.of(KINDS);
  const { gvk, resource } = schema;
  const kind = { ...gvk, resource: resource?.plural, namespaced: resource?.namespaced };
  const requests = Array.from({ length: 1 + random.below(6) }, (_, index) => randomRequest(random, schema, index));
  const one = { kind, requests };
  schemas.set(one, schema);
  return one;
}

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

function randomRequest(random: Random, schema: KindSchema, index: number): SentRequest {
  const { group, version, kind } = schema.gvk;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const namespace = schema.resource?.namespaced === false ? '' : '/namespaces/n';
  const collection = `${root}${namespace}/${schema.resource?.plural}`;
  const query = randomQuery(random);
  const object = () => ({
    ...(randomValue(random, schema.schema, { odd: random.chance(0.2) ? 0.03 : 0, unknown: 0.01 }) as object),
    ...{ apiVersion: group === '' ? version : `${group}/${version}`, kind },
    metadata: randomMetadata(random),
  });
  const contentType = 'application/json';
  if (index === 0 || random.chance(0.05)) {
    return { method: 'POST', url: `${collection}?${query}`, contentType, body: base64(object()) };
  }
  if (random.chance(0.15))
    return { method: 'PUT', url: `${collection}/a?${query}`, contentType, body: base64(object()) };
  const { type, body } = randomPatch(random, schema, object);
  const force = type.includes('apply') && random.chance(0.3) ? '&force=true' : '';
  return { method: 'PATCH', url: `${collection}/a?${query}${force}`, contentType: type, body: base64(body) };
}

function randomQuery(random: Random): string {
  const validation = random.of(['', '', 'fieldValidation=Strict', 'fieldValidation=Ignore', 'fieldValidation=Warn']);
  return `fieldManager=${random.of(['m1', 'm2', 'm3'])}&${validation}`;
}

function randomMetadata(random: Random): object {
  const few = () =>
    Object.fromEntries(['a', 'b'].filter(() => random.chance(0.5)).map((key) => [key, random.of(['1', '2'])]));
  return {
    name: 'a',
    ...(random.chance(0.4) && { labels: few() }),
    ...(random.chance(0.3) && { annotations: few() }),
    ...(random.chance(0.2) && { finalizers: random.of([['x/y'], ['x/y', 'z/w'], []]) }),
    ...(random.chance(0.1) && {
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: random.of(['p', 'q']), uid: random.of(['1', '2']) }],
    }),
  };
}

/** Responses without the times of writes, and without known differences. */
function comparable(responses: readonly SeenResponse[]) {
  return responses.map(({ status, warnings, body }) => ({
    status,
    warnings,
    body: Buffer.from(body, 'base64')
      .toString()
      // Upstream shows a strategic merge patch without the directives that it has applied.
      .replaceAll(/Invalid value: \\"map\[.*?\]\\": /g, '')
      .replaceAll(/(\\*"time\\*":\\*")\d{4}-[\d:T-]+Z/g, '$1NOW')
      .replaceAll('pkg/runtime/scheme.go:111', 'pkg/api/legacyscheme/scheme.go:30')
      // Go visits the members of an applied object in any order.
      .replace(
        /errors:((?:\\n {2}[^\\"](?:\\"|\\u|[^\\"])*)+)/g,
        (_, faults: string) => `errors:${faults.split('\\n').sort().join('\\n')}`,
      )
      .trimEnd(),
  }));
}

type Comparable = ReturnType<typeof comparable>;

function firstDifference(theirs: Comparable, ours: Comparable, { requests }: WritesCase): unknown {
  const at = theirs.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(ours[index]));
  if (at === -1) return undefined;
  const sent = requests[at];
  const before = ours[at - 1]?.body;
  const body = Buffer.from(sent?.body ?? '', 'base64').toString();
  return {
    url: `${sent?.method} ${sent?.url}`,
    type: sent?.contentType,
    before,
    body,
    theirs: theirs[at],
    ours: ours[at],
  };
}

/** Go's recorder has the whole headers. */
const warningText = (header: string) => header.replace(/^299 - "(.*)"$/s, '$1').replaceAll('\\"', '"');

function theirs(answer: readonly SeenResponse[]): Comparable {
  return comparable(answer.map((response) => ({ ...response, warnings: response.warnings.map(warningText) })));
}

async function ours(one: WritesCase): Promise<Comparable> {
  const serve = ourServer(schemas.get(one) as KindSchema);
  const responses: SeenResponse[] = [];
  for (const request of one.requests) responses.push(await serve(request));
  return comparable(responses);
}

describeUpstream('writes', (upstream) => {
  it('get the responses of upstream’s handlers', () =>
    compareCases(upstream(), { area: 'server', randomCase, ours, theirs, difference: firstDifference }));
});
