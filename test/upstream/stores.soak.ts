import { encodeCborValue } from '@apiserver/apimachinery/codec/cbor';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { comparedKinds, withVersions } from './compared-kinds.ts';
import type { SentRequest } from './our-server.ts';
import { randomObject } from './random-object.ts';
import { randomPatch } from './random-patch.ts';
import { collectionOf, type ServedCase, served, servedCase } from './served-case.ts';
import { describeUpstream } from './upstream-program.ts';

const KINDS = await comparedKinds();
const VERSIONED = withVersions(KINDS);

/** The names of stored objects; the last one is that of generated names. */
const NAMES = ['a', 'a', 'b', 'g-made'] as const;
/** Of the first objects, and others. */
const UIDS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', 'x', ''] as const;
const VERSIONS = ['2', '3', '4', '0', '', '007', '-1', 'x', '9'] as const;

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

/** Some cases have the gate of CBOR, and then some requests and responses are in it. */
function randomCase(random: Random): ServedCase {
  const { hub, others } = random.chance(0.4) ? random.of(VERSIONED) : { hub: random.of(KINDS), others: [] };
  const requests = Array.from({ length: 2 + random.below(6) }, (_, index) =>
    randomRequest(random, random.of([hub, ...others]), index),
  );
  const cbor = random.chance(0.4);
  return servedCase(hub, cbor ? requests.map((one) => inCbor(random, one)) : requests, { stored: true, cbor, others });
}

function inCbor(random: Random, request: SentRequest): SentRequest {
  const accept = random.chance(0.5) ? { accept: random.of(CBOR_ACCEPTED) } : {};
  const contentType = IN_CBOR.get(request.contentType ?? '');
  if (contentType === undefined || random.chance(0.4)) return { ...request, ...accept };
  const value: unknown = JSON.parse(Buffer.from(request.body ?? '', 'base64').toString());
  const body = Buffer.from(encodeCborValue(value)).toString('base64');
  return { ...request, ...accept, contentType, body };
}

const IN_CBOR: ReadonlyMap<string, string> = new Map([
  ['application/json', 'application/cbor'],
  ['application/apply-patch+yaml', 'application/apply-patch+cbor'],
]);

const CBOR_ACCEPTED = [
  'application/cbor',
  'application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'application/cbor;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/cbor;as=Table;g=meta.k8s.io;v=v1',
  'application/cbor;as=Table;g=meta.k8s.io;v=v1, application/json',
  'application/cbor, application/json;q=0.5',
] as const;

function randomRequest(random: Random, schema: KindSchema, index: number): SentRequest {
  const kind = index === 0 ? 0 : random.next();
  if (kind < 0.25) return create(random, schema);
  if (kind < 0.4) return update(random, schema);
  if (kind < 0.6) return patch(random, schema);
  if (kind < 0.75) return remove(random, schema);
  return read(random, schema);
}

/** Metadata that a server makes, or compares with its own. */
function systemMetadata(random: Random): object {
  return {
    ...(random.chance(0.3) && { resourceVersion: random.of(VERSIONS) }),
    ...(random.chance(0.15) && { uid: random.of(UIDS) }),
    ...(random.chance(0.1) && { namespace: random.of(['n', 'm', '']) }),
    ...(random.chance(0.05) && { generation: random.of([1, 7, -1]) }),
    ...(random.chance(0.05) && { creationTimestamp: random.of([null, '2020-01-02T03:04:05Z']) }),
    ...(random.chance(0.05) && { deletionTimestamp: '2020-01-02T03:04:05Z' }),
    ...(random.chance(0.05) && { deletionGracePeriodSeconds: random.of([0, 5]) }),
    ...(random.chance(0.03) && { selfLink: '/x' }),
    ...(random.chance(0.1) && { managedFields: random.of(MANAGED_FIELDS) }),
  };
}

const MANAGED_FIELDS: readonly [unknown, ...unknown[]] = [
  [],
  [{}],
  [{ manager: 'm1', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:metadata': {} } }],
  [{ manager: 'm1', operation: 'Other', apiVersion: 'v1' }],
  [{ manager: 'm1', operation: 'Apply', apiVersion: 'a/b/c', fieldsType: 'FieldsV1', fieldsV1: {} }],
  [{ manager: 'm1', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV2' }],
  null,
];

function withMetadata(object: object, metadata: object): object {
  return { ...object, metadata: { ...(object as { metadata: object }).metadata, ...metadata } };
}

function writeQuery(random: Random): string {
  const parameters = [
    `fieldManager=${random.of(['m1', 'm2'])}`,
    ...(random.chance(0.15) ? ['dryRun=All'] : []),
    ...(random.chance(0.2) ? [`fieldValidation=${random.of(['Strict', 'Ignore', 'Warn'])}`] : []),
    ...(random.chance(0.1) ? ['pretty=true'] : []),
  ];
  return parameters.join('&');
}

const ACCEPTED = [
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=Table;g=meta.k8s.io;v=v1beta1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1, application/json',
  'application/yaml',
  'application/yaml;as=Table;g=meta.k8s.io;v=v1',
  'text/html, application/json;q=0.1',
  'text/plain',
] as const;

const accept = (random: Random) => (random.chance(0.15) ? { accept: random.of(ACCEPTED) } : {});

function create(random: Random, schema: KindSchema): SentRequest {
  const object = randomObject(random, schema);
  const named = random.chance(0.8)
    ? { name: random.of(NAMES) }
    : { name: undefined, generateName: random.of(['g-', '']) };
  const metadata = { ...named, ...(random.chance(0.2) && systemMetadata(random)) };
  const url = `${collectionOf(schema)}?${writeQuery(random)}`;
  const body = base64(withMetadata(object, metadata));
  return { method: 'POST', url, contentType: 'application/json', ...accept(random), body };
}

const pathOf = (random: Random, schema: KindSchema) => {
  const hasStatus = schema.schema.fields.some(({ name }) => name === 'status');
  return `${collectionOf(schema)}/${random.of(NAMES)}${hasStatus && random.chance(0.3) ? '/status' : ''}`;
};

function update(random: Random, schema: KindSchema): SentRequest {
  const path = pathOf(random, schema);
  const name = random.chance(0.9) ? path.replace(/\/status$/, '').replace(/.*\//, '') : 'other';
  const object = withMetadata(randomObject(random, schema), { name, ...systemMetadata(random) });
  const url = `${path}?${writeQuery(random)}`;
  return { method: 'PUT', url, contentType: 'application/json', ...accept(random), body: base64(object) };
}

function patch(random: Random, schema: KindSchema): SentRequest {
  const path = pathOf(random, schema);
  const name = path.replace(/\/status$/, '').replace(/.*\//, '');
  const system = random.chance(0.2) ? systemMetadata(random) : {};
  const { type, body } = randomPatch(random, schema, () =>
    withMetadata(randomObject(random, schema), { name: random.chance(0.95) ? name : 'other', ...system }),
  );
  const force = type.includes('apply') && random.chance(0.3) ? '&force=true' : '';
  const url = `${path}?${writeQuery(random)}${force}`;
  return { method: 'PATCH', url, contentType: type, ...accept(random), body: base64(body) };
}

const SELECTORS = ['labelSelector=a%3D1', 'labelSelector=a', 'fieldSelector=metadata.name%3Da', 'limit=1'] as const;

function remove(random: Random, schema: KindSchema): SentRequest {
  const isOne = random.chance(0.75);
  const path = isOne ? `${collectionOf(schema)}/${random.of(NAMES)}` : collectionOf(schema);
  const query = [
    ...(random.chance(0.2) ? ['dryRun=All'] : []),
    ...(random.chance(0.2) ? [`propagationPolicy=${random.of(['Orphan', 'Foreground', 'Background'])}`] : []),
    ...(random.chance(0.1) ? [`gracePeriodSeconds=${random.of([0, 1, 30, -1])}`] : []),
    ...(random.chance(0.1) ? [`orphanDependents=${random.of([true, false])}`] : []),
    ...(!isOne && random.chance(0.5) ? [random.of(SELECTORS)] : []),
  ];
  const url = `${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  if (random.chance(0.5)) return { method: 'DELETE', url, ...accept(random) };
  const options = {
    ...(random.chance(0.8) && { kind: 'DeleteOptions', apiVersion: 'v1' }),
    ...(random.chance(0.3) && { gracePeriodSeconds: random.of([0, 30, -1]) }),
    ...(random.chance(0.3) && {
      preconditions: {
        ...(random.chance(0.5) && { uid: random.of(UIDS) }),
        ...(random.chance(0.5) && { resourceVersion: random.of(VERSIONS) }),
      },
    }),
    ...(random.chance(0.3) && { propagationPolicy: random.of(['Orphan', 'Foreground', 'Background', 'x']) }),
    ...(random.chance(0.1) && { orphanDependents: random.of([true, false]) }),
    ...(random.chance(0.1) && { dryRun: random.of([['All'], ['x'], ['All', 'All']]) }),
  };
  return { method: 'DELETE', url, contentType: 'application/json', ...accept(random), body: base64(options) };
}

function read(random: Random, schema: KindSchema): SentRequest {
  if (random.chance(0.4)) return { method: 'GET', url: pathOf(random, schema), ...accept(random) };
  const query = random.chance(0.5) ? `?${random.of(SELECTORS)}` : '';
  return { method: 'GET', url: `${collectionOf(schema)}${query}`, ...accept(random) };
}

describeUpstream('stores', (upstream) => {
  it('get the responses of upstream’s handlers and generic store', () =>
    compareCases(upstream(), { ...served, randomCase }));
});
