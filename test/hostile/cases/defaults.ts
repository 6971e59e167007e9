import { type HostileCase, type HostileRequest, sending } from '../hostile-case.ts';

const GROUP = 'defaults.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const OBJECTS = `/apis/${GROUP}/v1/namespaces/default`;

const schemaOf = (value: unknown) => ({
  type: 'object',
  properties: {
    list: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          value: { ...(value !== undefined && { default: value }), 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  },
});

/** A definition whose list items have a field with a default. */
const definition = (plural: string, value?: unknown) => definitionOf(plural, schemaOf(value));

function definitionOf(plural: string, openAPIV3Schema: object): HostileRequest {
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  const spec = { group: GROUP, scope: 'Namespaced', names: { plural, kind: `K${plural}` }, versions };
  const body = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec };
  return sending('POST', DEFINITIONS, 'json', JSON.stringify({ ...body, metadata: { name: `${plural}.${GROUP}` } }));
}

/** An object with many items, each of which takes two bytes. */
const empties = (plural: string, name: string, length = 90_000) =>
  JSON.stringify({
    apiVersion: `${GROUP}/v1`,
    kind: `K${plural}`,
    metadata: { name },
    list: Array.from({ length }, () => ({})),
  });

const keys = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`key${index}`, 'value']));

const created = (name: string, plural: string, value: unknown, length?: number): HostileCase => ({
  name,
  before: [definition(plural, value)],
  request: (object) => sending('POST', `${OBJECTS}/${plural}`, 'json', empties(plural, object, length)),
  status: 413,
});

const NEWER: readonly HostileRequest[] = [
  definition('newer'),
  sending('POST', `${OBJECTS}/newer`, 'json', empties('newer', 'stored', 60_000)),
  sending(
    'PATCH',
    `${DEFINITIONS}/newer.${GROUP}`,
    'jsonPatch',
    JSON.stringify([{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value: schemaOf(keys) }]),
  ),
];

const OBJECT_ENUM = Array.from({ length: 3_000 }, (_, index) => ({ a: `e${index}` }));
const ALTERNATIVES = Array.from({ length: 500 }, (_, index) => ({ pattern: `^${index}$` }));

/** An object whose list items a schema compares with many others. */
function checked(
  name: string,
  plural: string,
  rules: object,
  { item, status }: { item: unknown; status: number },
): HostileCase {
  const items = { 'x-kubernetes-preserve-unknown-fields': true, ...rules };
  const schema = { type: 'object', properties: { list: { type: 'array', items } } };
  const body = (object: string) =>
    JSON.stringify({
      apiVersion: `${GROUP}/v1`,
      kind: `K${plural}`,
      metadata: { name: object },
      list: Array.from({ length: typeof item === 'string' ? 90_000 : 45_000 }, () => item),
    });
  return {
    name,
    before: [definitionOf(plural, schema)],
    request: (object) => sending('POST', `${OBJECTS}/${plural}`, 'json', body(object)),
    status,
    maxResponse: 2 ** 22,
  };
}

/** Small bodies that a definition's defaults make large, or that its schema compares with a great many values. */
export const DEFAULT_CASES: readonly HostileCase[] = [
  created('objects for 90,000 items', 'many', keys),
  created('objects for 3,000 items', 'few', keys, 3_000),
  created('a text for 90,000 items', 'texts', 'x'.repeat(100_000)),
  checked(
    '90,000 texts of 10,000',
    'listed',
    { enum: Array.from({ length: 10_000 }, (_, index) => `e${index}`) },
    { item: 'e9999', status: 201 },
  ),
  checked('45,000 objects of 3,000', 'objects', { enum: OBJECT_ENUM }, { item: OBJECT_ENUM.at(-1), status: 422 }),
  checked('patterns of 500 alternatives', 'alternatives', { anyOf: ALTERNATIVES }, { item: '499', status: 422 }),
  {
    name: 'apply of 90,000 items',
    before: [definition('applied', keys)],
    request: (object) =>
      sending('PATCH', `${OBJECTS}/applied/${object}?fieldManager=m`, 'apply', empties('applied', object)),
    status: 413,
  },
  {
    name: 'get of items that a newer definition fills',
    before: NEWER,
    request: () => ({ method: 'GET', path: `${OBJECTS}/newer/stored` }),
    status: 500,
  },
  {
    name: 'list of items that a newer definition fills',
    before: NEWER,
    request: () => ({ method: 'GET', path: `${OBJECTS}/newer` }),
    status: 500,
  },
  {
    name: 'deletion of items that a newer definition fills',
    before: NEWER,
    request: () => ({ method: 'DELETE', path: `${OBJECTS}/newer/stored` }),
    status: 500,
  },
];
