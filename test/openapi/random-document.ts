import type { Random } from '../watch/random.ts';

type Words = readonly [string, ...string[]];
type Members = { readonly [name: string]: unknown };

/** Few names, so that documents have them in common. Some are our own document's. */
const DEFINITIONS: Words = [
  'com.example.A',
  'com.example.B',
  'com.example.A_v2',
  'com.example.C',
  'io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup',
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
];
const PARAMETERS: Words = ['one', 'two', 'one_v2', 'pretty-tJGM1-ng'];
const PATHS = ['things', 'things/{name}', 'others', 'namespaces/{namespace}/things'];
const WORDS: Words = ['', 'a', 'b', 'words of text', '"quoted" <&>', 'é'];
const KINDS = ['A', 'B', 'C'].map((kind) => ({ group: 'example.com', kind, version: 'v1' }));

/** A document of an extension server with two versions. Most are right; some of the others are no document at all. */
export function randomDocument(random: Random): string {
  const document: Members = {
    swagger: '2.0',
    info: { title: random.of(WORDS), version: 'v1' },
    paths: members(
      random,
      ['v1', 'v2'].flatMap((version) => PATHS.map((path) => `/apis/example.com/${version}/${path}`)),
      () => randomPathItem(random),
    ),
    definitions: members(random, DEFINITIONS, () => randomDefinition(random)),
    ...(random.chance(0.8) && { parameters: members(random, PARAMETERS, () => randomParameter(random)) }),
    ...(random.chance(0.1) && { responses: { r: { description: 'd' } }, tags: [{ name: 't' }], 'x-other': [1] }),
    ...(random.chance(0.05) && {
      [random.of(['info', 'paths', 'definitions', 'host', 'tags'])]: random.of([null, 1, [], 'a']),
    }),
  };
  const text = JSON.stringify(document);
  return random.chance(0.02) ? text.slice(0, -1) : text;
}

function members(random: Random, names: readonly string[], make: () => unknown): Members {
  return Object.fromEntries(names.filter(() => random.chance(0.6)).map((name) => [name, make()]));
}

function randomDefinition(random: Random): unknown {
  if (random.chance(0.5)) return { type: 'object', description: random.of(['', 'common']), ...kinds(random) };
  return { ...(randomSchema(random, 0) as object), ...kinds(random) };
}

function kinds(random: Random): object {
  return random.chance(0.5) ? { 'x-kubernetes-group-version-kind': KINDS.filter(() => random.chance(0.5)) } : {};
}

/** Members of a schema; each is there by chance. */
const SCHEMA: Readonly<Record<string, (random: Random, depth: number) => unknown>> = {
  description: (random) => random.of([...WORDS, null]),
  type: (random) => random.of<unknown>(['object', ['string'], ['string', 'null'], [], null]),
  format: (random) => random.of(WORDS),
  nullable: (random) => random.of([true, false, null]),
  default: (random) => random.of([null, '', 0, {}, [], { b: 1, a: 2 }]),
  example: (random) => random.of(['', {}, [], 'e', null]),
  enum: (random) => random.of<unknown>([[], ['a', null], null]),
  required: (random) => random.of<unknown>([[], ['a'], null]),
  maximum: (random) => random.of([0, 1.5, null]),
  minLength: (random) => random.of([0, 3, null]),
  uniqueItems: (random) => random.chance(0.5),
  items: (random, depth) =>
    random.chance(0.8) ? randomSchema(random, depth) : random.of<unknown>([[], [{ type: 'string' }]]),
  allOf: (random, depth) => [randomSchema(random, depth)],
  not: (random, depth) => randomSchema(random, depth),
  properties: (random, depth) => members(random, ['a', 'b', '__proto__', '1'], () => randomSchema(random, depth)),
  additionalProperties: (random, depth) => (random.chance(0.5) ? random.chance(0.5) : randomSchema(random, depth)),
  dependencies: (random) => random.of<unknown>([{ a: ['b'] }, { a: [] }, { a: { type: 'string' } }, {}]),
  externalDocs: () => ({ url: 'https://example.com', description: '' }),
  'x-kubernetes-list-type': () => 'atomic',
  'x-any': (random) => random.of([null, {}, [], { b: 1, a: [2] }]),
  unknown: (random) => random.of<unknown>([1, 'x', {}]),
  readOnly: (random) => random.chance(0.5),
  discriminator: () => 'd',
};

function randomSchema(random: Random, depth: number): unknown {
  if (depth > 2 || random.chance(0.5)) return { $ref: `#/definitions/${random.of(DEFINITIONS)}` };
  if (random.chance(0.003)) return random.of<unknown>([1, 'a', { type: 1 }, { required: {} }, { minLength: 1.5 }]);
  const present = Object.entries(SCHEMA).filter(() => random.chance(0.12));
  return Object.fromEntries(present.map(([name, make]) => [name, make(random, depth + 1)]));
}

function randomParameter(random: Random): unknown {
  if (random.chance(0.3)) return { name: 'body', in: 'body', schema: randomSchema(random, 1) };
  return {
    name: random.of(['p', 'q']),
    in: random.of(['query', 'path', 'header']),
    type: 'string',
    ...(random.chance(0.3) && { uniqueItems: true, required: random.chance(0.5), description: random.of(WORDS) }),
    ...(random.chance(0.2) && {
      type: 'array',
      items: { type: 'string', enum: random.of<unknown>([[], ['a']]) },
      'x-p': {},
    }),
  };
}

function randomPathItem(random: Random): unknown {
  const parameters = () =>
    random.of<unknown>([[], [{ $ref: `#/parameters/${random.of(PARAMETERS)}` }, randomParameter(random)]]);
  const operation = () => ({
    operationId: random.of(['one', 'two']),
    ...(random.chance(0.5) && {
      description: random.of(WORDS),
      tags: random.of<unknown>([[], ['t']]),
      deprecated: random.chance(0.5),
    }),
    ...(random.chance(0.7) && { parameters: parameters() }),
    ...(random.chance(0.3) && {
      security: random.of<unknown>([[], [{ BearerToken: [] }]]),
      'x-kubernetes-action': 'get',
    }),
    responses: {
      200: {
        description: 'OK',
        schema: randomSchema(random, 1),
        ...(random.chance(0.2) && { headers: { h: { type: 'string' } } }),
      },
      ...(random.chance(0.2) && {
        default: { description: '', examples: { a: 1 } },
        'x-r': null,
        ...(random.chance(0.05) && { other: {} }),
      }),
    },
  });
  return {
    ...members(random, ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'], operation),
    ...(random.chance(0.5) && { parameters: parameters() }),
    ...(random.chance(0.2) && { 'x-path': 1, unknown: 1 }),
  };
}
