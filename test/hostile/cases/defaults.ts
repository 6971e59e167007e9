import { setTimeout as sleep } from 'node:timers/promises';
import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import { type CustomKind, creationOf, definitionOf, objectsOf, objectText } from '../custom-kind.ts';
import { type HostileCase, type HostileRequest, sending } from '../hostile-case.ts';

const GROUP = 'defaults.example.com';
/** The schema in a definition. */
const SCHEMA = '/spec/versions/0/schema/openAPIV3Schema';

/** A kind whose objects have a list of such items. */
const listing = (kind: string, items: object): CustomKind => ({
  group: GROUP,
  kind,
  schema: { properties: { list: { type: 'array', items } } },
});

/** A kind whose list items have a field, perhaps with a default. */
function defaulting(kind: string, value?: unknown): CustomKind {
  const field = { ...(value !== undefined && { default: value }), 'x-kubernetes-preserve-unknown-fields': true };
  return listing(kind, { type: 'object', properties: { value: field } });
}

/** Many items, each of which takes two bytes. */
const empties = (length = 90_000) => ({ list: Array.from({ length }, () => ({})) });

const keys = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`key${index}`, 'value']));

function created(name: string, kind: CustomKind, length?: number): HostileCase {
  return {
    name,
    before: [definitionOf(kind)],
    request: (object) => creationOf(kind, object, empties(length)),
    status: 413,
  };
}

const APPLIED = defaulting('Applied', keys);
const NEWER = defaulting('Newer');
const NEWER_OBJECT = `${objectsOf(NEWER)}/stored`;

/** After an object is stored, its definition gets a default. */
const NEWLY_DEFAULTED: readonly HostileRequest[] = [
  definitionOf(NEWER),
  creationOf(NEWER, 'stored', empties(60_000)),
  sending(
    'PATCH',
    `${DEFINITIONS}/newers.${GROUP}`,
    'jsonPatch',
    JSON.stringify([{ op: 'add', path: `${SCHEMA}/properties/list/items/properties/value/default`, value: keys }]),
  ),
];

const OBJECT_ENUM = Array.from({ length: 3_000 }, (_, index) => ({ a: `e${index}` }));
const ALTERNATIVES = Array.from({ length: 500 }, (_, index) => ({ pattern: `^${index}$` }));

/** An object whose list items a schema compares with many others. */
function checked(
  name: string,
  kind: string,
  rules: object,
  { item, status }: { readonly item: unknown; readonly status: number },
): HostileCase {
  const checking = listing(kind, { 'x-kubernetes-preserve-unknown-fields': true, ...rules });
  const length = typeof item === 'string' ? 90_000 : 45_000;
  return {
    name,
    before: [definitionOf(checking)],
    request: (object) => creationOf(checking, object, { list: Array.from({ length }, () => item) }),
    status,
    maxResponse: 2 ** 22,
  };
}

const LONG_TEXTS = Array.from({ length: 45_000 }, () => ({ minLength: 9 }));

/** A new kind, so that its schema is compiled for the object. */
const newAlternatives: HostileCase = {
  name: 'a first object, for 45,000 alternatives',
  request: () => ({ method: 'GET', path: DEFINITIONS }),
  attack: async (attacker, name) => {
    const kind = listing(`Long${name.replace(/\D/g, '')}`, { type: 'string', anyOf: LONG_TEXTS });
    await attacker.send(definitionOf(kind));
    for (;;) {
      const response = await attacker.send(creationOf(kind, name, { list: ['short'] }));
      if (response.status !== 404) return response;
      await sleep(50);
    }
  },
  status: 422,
  maxResponse: 2 ** 22,
};

/** Small bodies that a definition's defaults make large, or that its schema compares with a great many values. */
export const DEFAULT_CASES: readonly HostileCase[] = [
  newAlternatives,
  created('objects for 90,000 items', defaulting('Many', keys)),
  created('objects for 3,000 items', defaulting('Few', keys), 3_000),
  created('a text for 90,000 items', defaulting('Text', 'x'.repeat(100_000))),
  checked(
    '90,000 texts of 10,000',
    'Listed',
    { enum: Array.from({ length: 10_000 }, (_, index) => `e${index}`) },
    { item: 'e9999', status: 201 },
  ),
  checked('45,000 objects of 3,000', 'Compared', { enum: OBJECT_ENUM }, { item: OBJECT_ENUM.at(-1), status: 422 }),
  checked('patterns of 500 alternatives', 'Alternative', { anyOf: ALTERNATIVES }, { item: '499', status: 422 }),
  {
    name: 'apply of 90,000 items',
    before: [definitionOf(APPLIED)],
    request: (object) =>
      sending(
        'PATCH',
        `${objectsOf(APPLIED)}/${object}?fieldManager=m`,
        'apply',
        objectText(APPLIED, object, empties()),
      ),
    status: 413,
  },
  {
    name: 'get of items that a newer definition fills',
    before: NEWLY_DEFAULTED,
    request: () => ({ method: 'GET', path: NEWER_OBJECT }),
    status: 500,
  },
  {
    name: 'list of items that a newer definition fills',
    before: NEWLY_DEFAULTED,
    request: () => ({ method: 'GET', path: objectsOf(NEWER) }),
    status: 500,
  },
  {
    name: 'deletion of items that a newer definition fills',
    before: NEWLY_DEFAULTED,
    request: () => ({ method: 'DELETE', path: NEWER_OBJECT }),
    status: 500,
  },
];
