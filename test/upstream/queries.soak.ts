import { ConfigMap, Node } from '@apiserver/api/core/v1';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { mutated } from './mutated-text.ts';
import type { SentRequest } from './our-server.ts';
import { collectionOf, type ServedCase, served, servedCase } from './served-case.ts';
import { describeUpstream } from './upstream-program.ts';

const KINDS = [ConfigMap, Node] as readonly [KindSchema, ...KindSchema[]];
const NUMBERS = [
  '0',
  '1',
  '5',
  '-1',
  '007',
  '1.5',
  'x',
  '',
  '+1',
  '1e3',
  '9223372036854775807',
  '9223372036854775808',
] as const;
const BOOLEANS = ['true', 'false', '1', '0', 'TRUE', 'yes', '', 'x'] as const;
const LABELS = [
  'a=1',
  'a==1,b!=2',
  'a in (1,2)',
  'a notin (1,)',
  '!a',
  'a',
  'x.y/z=1',
  'a>1',
  'a in ()',
  'a=',
  ',',
  'a=1=2',
] as const;
const FIELDS = [
  'metadata.name=a',
  'metadata.namespace!=n',
  'metadata.name=a,metadata.name=b',
  'spec.x=1',
  'metadata.name',
  'metadata.name=\\,',
] as const;
const TYPES = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1',
  'application/json;as=Other;g=meta.k8s.io;v=v1',
  'application/json;q=0.5, application/yaml',
  'text/html',
  'text/*, */*',
  'application/*',
  '',
] as const;

/** Values of each parameter. */
const PARAMETERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  labelSelector: LABELS,
  fieldSelector: FIELDS,
  limit: NUMBERS,
  continue: ['', 'x', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ'],
  resourceVersion: NUMBERS,
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x', ''],
  timeoutSeconds: NUMBERS,
  allowWatchBookmarks: BOOLEANS,
  sendInitialEvents: BOOLEANS,
  pretty: BOOLEANS,
  dryRun: ['All', 'all', '', 'x'],
  fieldManager: ['m', '', 'é', 'a\tb', 'x'.repeat(129)],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'strict', ''],
  gracePeriodSeconds: NUMBERS,
  orphanDependents: BOOLEANS,
  propagationPolicy: ['Orphan', 'Foreground', 'Background', 'x', ''],
  ignoreStoreReadErrorWithClusterBreakingPotential: BOOLEANS,
  force: BOOLEANS,
  unknown: ['1'],
};
const NAMES = Object.keys(PARAMETERS) as [string, ...string[]];

function randomQuery(random: Random): string {
  const parameters = Array.from({ length: random.below(4) }, () => {
    const name = random.of(NAMES);
    const value = random.of(PARAMETERS[name] ?? ['']);
    return `${name}=${encodeURIComponent(random.chance(0.2) ? mutated(random, value) : value)}`;
  });
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function randomDeleteOptions(random: Random): string {
  const options = {
    ...(random.chance(0.7) && { kind: random.of(['DeleteOptions', '']) }),
    ...(random.chance(0.7) && { apiVersion: random.of(['v1', 'meta.k8s.io/v1', 'apps/v1', 'x']) }),
    ...(random.chance(0.3) && { gracePeriodSeconds: random.of([0, 30, -1, 'x']) }),
    ...(random.chance(0.3) && {
      preconditions: { uid: random.of(['uid-1', 'x']), resourceVersion: random.of(['1', '2']) },
    }),
    ...(random.chance(0.3) && { propagationPolicy: random.of(['Orphan', 'x']) }),
    ...(random.chance(0.2) && { orphanDependents: random.of([true, false, 1]) }),
    ...(random.chance(0.2) && { dryRun: random.of([['All'], ['x'], [], 'All']) }),
    ...(random.chance(0.1) && { unknown: 1 }),
  };
  const text = JSON.stringify(options);
  return random.chance(0.2) ? mutated(random, text) : text;
}

function randomRequest(random: Random, schema: KindSchema): SentRequest {
  const collection = collectionOf(schema);
  const url = random.chance(0.5) ? collection : `${collection}/${random.of(['a', 'b', 'c'])}`;
  const method = random.of(['GET', 'GET', 'GET', 'DELETE', 'POST', 'PUT', 'PATCH']);
  // Errors about kinds name the scheme, which changes the form of YAML and protobuf.
  const accept = method !== 'DELETE' && random.chance(0.3) ? random.of(TYPES) : 'application/json';
  const query = randomQuery(random);
  if (method === 'GET') return { method, url: url + query, accept };
  const hasBody = method !== 'DELETE' || random.chance(0.5);
  const object = { apiVersion: 'v1', kind: schema.gvk.kind, metadata: { name: 'b' } };
  const body = method === 'DELETE' ? randomDeleteOptions(random) : JSON.stringify(object);
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return { method, url: url + query, accept, ...(hasBody && { contentType, body: base64(body) }) };
}

function randomCase(random: Random): ServedCase {
  const schema = random.of(KINDS);
  const object = { apiVersion: 'v1', kind: schema.gvk.kind, metadata: { name: 'a', labels: { a: '1' } } };
  const create = {
    method: 'POST',
    url: collectionOf(schema),
    contentType: 'application/json',
    body: base64(JSON.stringify(object)),
  };
  return servedCase(schema, [create, ...Array.from({ length: 4 }, () => randomRequest(random, schema))]);
}

describeUpstream('queries', (upstream) => {
  it('get the responses of upstream’s handlers', () => compareCases(upstream(), { ...served, randomCase }));
});
