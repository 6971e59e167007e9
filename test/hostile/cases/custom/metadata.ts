import { type CustomKind, definitionOf, objectsOf } from '../../custom-kind.ts';
import { type HostileCase, type HostileRequest, KIB, sending, type TYPES } from '../../hostile-case.ts';

/** Values of the metadata of one object. */
const MANY = 90_000;
const MIXED = 45_000;
/** The name of an object that is there. */
const STORED = 'stored';

const list = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i)).join();
const labels = (count: number, value = '""') => `"labels":{${list(count, (i) => `"k${i}":${value}`)}}`;
const finalizers = (count: number) => `"finalizers":[${list(count, (i) => `"a/${i}"`)}]`;
const managed = (count: number) =>
  '"managedFields":[{"manager":"hostile","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1",' +
  `"time":"2026-01-01T00:00:00Z","fieldsV1":{"f:data":{${list(count, (i) => `"f:k${i}":{}`)}}}}]`;

const inner = (rest: object) => ({
  ...{ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  ...rest,
});
const KIND: CustomKind = {
  group: 'labelled.example.com',
  kind: 'Labelled',
  schema: { properties: { one: inner({}), many: { type: 'array', items: inner({}) } } },
};
const HEAD = `"apiVersion":"${KIND.group}/v1","kind":"${KIND.kind}"`;
const POD = '"apiVersion":"v1","kind":"Pod"';

const text = (name: string, metadata: string, rest = '') =>
  `{${HEAD},"metadata":{"name":"${name}"${metadata && `,${metadata}`}}${rest}}`;

const creation = (metadata: string, rest = '') => ({
  before: [definitionOf(KIND)],
  request: (name: string) => sending('POST', objectsOf(KIND), 'json', text(name, metadata, rest)),
  maxResponse: 3_072 * KIB,
});

/** Changes an object that has very many labels. */
function change(method: string, type: keyof typeof TYPES, body: () => string, metadata = labels(MIXED)) {
  const path = `${objectsOf(KIND)}/${STORED}`;
  const before: readonly HostileRequest[] = [
    definitionOf(KIND),
    { method: 'DELETE', path },
    sending('POST', objectsOf(KIND), 'json', text(STORED, metadata)),
  ];
  const query = type === 'apply' ? '?fieldManager=hostile&force=true' : '';
  return { before, request: () => sending(method, path + query, type, body()), maxResponse: 3_072 * KIB };
}

/** Metadata of custom resources, and of resources inside them, with very many values. */
export const CUSTOM_METADATA_CASES: readonly HostileCase[] = [
  {
    name: `${MIXED} labels and ${MANY} managed fields`,
    ...creation(`${labels(MIXED)},${managed(MANY)}`),
    status: 201,
  },
  { name: `${MANY} labels`, ...creation(labels(MANY)), status: 201 },
  { name: `${MANY} finalizers`, ...creation(finalizers(MANY)), status: 201 },
  { name: `${MANY} labels that are numbers`, ...creation(labels(MANY, '1')), status: 400 },
  {
    name: `${MANY} labels, and annotations that are null`,
    ...creation(`${labels(MANY)},"annotations":null`),
    status: 201,
  },
  { name: `${MANY} unknown members`, ...creation(list(MANY, (i) => `"k${i}":1`)), status: 201 },
  {
    name: `a resource inside with ${MANY} labels`,
    ...creation('', `,"one":{${POD},"metadata":{${labels(MANY)}}}`),
    status: 201,
  },
  {
    name: 'ten thousand resources inside, with labels',
    ...creation('', `,"many":[${list(10_000, (i) => `{${POD},"metadata":{"name":"n${i}","labels":{"a":"b"}}}`)}]`),
    status: 201,
  },
  {
    name: `a merge patch of ${MIXED} labels`,
    ...change('PATCH', 'merge', () => `{"metadata":{${labels(MIXED, '"1"')}}}`),
    status: 200,
  },
  {
    name: `a JSON patch of one of ${MIXED} labels`,
    ...change('PATCH', 'jsonPatch', () => '[{"op":"add","path":"/metadata/labels/k7","value":"1"}]'),
    status: 200,
  },
  {
    name: `an apply of ${MIXED} labels`,
    ...change('PATCH', 'apply', () => text(STORED, labels(MIXED, '"1"'))),
    status: 200,
  },
  {
    name: `an apply of ${MANY} labels`,
    ...change('PATCH', 'apply', () => text(STORED, labels(MANY)), labels(1)),
    // With its managed fields it is too large for etcd.
    status: 500,
  },
];
