import { CONFIG_MAPS, type HostileCase, MAX_BODY, MIB, repeated, sending } from '../hostile-case.ts';

const piecesOf = (count: number, piece: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => piece(i)).join(',');

/** Nearly as many values as a body may have. */
const many = (piece: (i: number) => string) => piecesOf(99_000, piece);

/** Members of a ConfigMap, a patch or options: the contents of hostile bodies. */
const HOLES: Readonly<Record<string, () => string>> = {
  'unknown fields': () => repeated((i) => `"k${i}":1`),
  'unknown fields within the bound': () => many((i) => `"k${i}":1`),
  'duplicate fields within the bound': () => many(() => '"data":{}'),
  'values of wrong types within the bound': () => `"data":{${many((i) => `"k${i}":1`)}}`,
  'labels, then metadata in pieces': () =>
    `"metadata":{"labels":{${piecesOf(30_000, (i) => `"k${i}":""`)}}},${piecesOf(60_000, () => '"metadata":{}')}`,
  'data, then data in pieces': () =>
    `"data":{${piecesOf(40_000, (i) => `"k${i}":""`)}},${piecesOf(55_000, () => '"data":{}')}`,
  'lists of owners, one for each metadata': () => piecesOf(30_000, () => '"metadata":{"ownerReferences":[{}]}'),
  'small maps within the bound': () => `"x":[${many(() => '{}')}]`,
  'fractions within the bound': () => `"x":[${many(() => '1.5')}]`,
  'finalizers within the bound': () => `"metadata":{"finalizers":[${many((i) => `"a/f${i}"`)}]}`,
  'managers within the bound': () => `"metadata":{"managedFields":[${many(() => '{}')}]}`,
  'one unknown field, many times': () => repeated(() => '"k":1'),
  'duplicate fields': () => repeated(() => '"data":{}'),
  'duplicate keys': () => `"data":{${repeated(() => '"a":"b"')}}`,
  'values of wrong types': () => `"data":{${repeated((i) => `"k${i}":1`)}}`,
  'data keys': () => `"data":{${repeated((i) => `"k${i}":""`, (2 * MAX_BODY) / 3)}}`,
  'small maps': () => `"x":[${repeated(() => '{}')}]`,
  'small lists': () => `"x":[${repeated(() => '[]')}]`,
  numbers: () => `"x":[${repeated(() => '1')}]`,
  fractions: () => `"x":[${repeated(() => '1.5')}]`,
  'lists in lists': () => `"x":${'['.repeat(900)}${']'.repeat(900)}`,
  'lists in lists, many times': () => `"x":[${repeated(() => '['.repeat(900) + ']'.repeat(900))}]`,
  'a number of millions of digits': () => `"x":${'9'.repeat(MAX_BODY - 1_024)}`,
  escapes: () => `"x":"${repeated(() => '\\u0001', 1_024, '')}"`,
  'halves of surrogates': () => `"x":"${repeated(() => '\\ud800', 1_024, '')}"`,
  prototypes: () => repeated(() => '"__proto__":{}'),
  'labels that are none': () => `"metadata":{"labels":{${repeated((i) => `"%${i}":"%"`)}}}`,
  finalizers: () => `"metadata":{"finalizers":[${repeated((i) => `"a/f${i}"`)}]}`,
  owners: () => `"metadata":{"ownerReferences":[${repeated(() => '{}')}]}`,
  managers: () => `"metadata":{"managedFields":[${repeated(() => '{}')}]}`,
};

const object = (name: string, more: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap",${more.replace('"metadata":{', `"metadata":{"name":"${name}",`)}${
    more.includes('"metadata":{') ? '' : `,"metadata":{"name":"${name}"}`
  }}`;

const target = (name: string) => `${CONFIG_MAPS}/${name}`;

interface Names {
  /** The name of no object yet. */
  readonly fresh: string;
  /** The name of an existing object. */
  readonly there: string;
}

/** The ways to send such members. JSON that begins with a comment is read as YAML. */
const WAYS: Readonly<Record<string, (names: Names, members: string) => ReturnType<typeof sending>>> = {
  'POST of JSON': ({ fresh }, members) => sending('POST', CONFIG_MAPS, 'json', object(fresh, members)),
  'POST of YAML': ({ fresh }, members) => sending('POST', CONFIG_MAPS, 'yaml', `# YAML\n${object(fresh, members)}`),
  'PUT of JSON': ({ there }, members) => sending('PUT', target(there), 'json', object(there, members)),
  'merge patch': ({ there }, members) => sending('PATCH', target(there), 'merge', `{${members}}`),
  'strategic merge patch': ({ there }, members) => sending('PATCH', target(there), 'strategic', `{${members}}`),
  'JSON patch': ({ there }, members) =>
    sending('PATCH', target(there), 'jsonPatch', `[{"op":"add","path":"/x","value":{${members}}}]`),
  apply: ({ fresh }, members) =>
    sending('PATCH', `${target(fresh)}?fieldManager=hostile`, 'apply', `# YAML\n${object(fresh, members)}`),
  DELETE: ({ there }, members) => sending('DELETE', target(there), 'json', `{${members}}`),
  'DELETE of a collection': (_, members) =>
    sending('DELETE', `${CONFIG_MAPS}?labelSelector=no%3Dsuch`, 'json', `{${members}}`),
};

const LINE_ENDS = 1_400_000;

/** The message quotes the text twice, with four characters for each line end. */
const LONG_TIME: HostileCase = {
  name: `a time with ${LINE_ENDS} line ends`,
  request: (name) => {
    const time = `2026-01-01T00:00:00Z${'\\n'.repeat(LINE_ENDS)}`;
    return sending('POST', CONFIG_MAPS, 'json', object(name, `"metadata":{"creationTimestamp":"${time}"}`));
  },
  status: 400,
  maxResponse: 16 * MIB,
};

/** Sends every hole in every way. The tests of the verbs check the refusals. */
const HOLE_CASES: readonly HostileCase[] = Object.entries(WAYS).flatMap(([way, send], i) =>
  Object.entries(HOLES).map(([hole, members], k) => {
    const there = `hostile-target-${i}-${k}`;
    return {
      name: `${way}: ${hole}`,
      before: [sending('POST', CONFIG_MAPS, 'json', object(there, '"data":{"a":"b"}'))],
      request: (fresh: string) => send({ fresh, there }, members()),
      // The error of a patch that makes no object quotes the patch whole.
      maxResponse: 4 * MIB,
    };
  }),
);

export const BODY_CASES: readonly HostileCase[] = [...HOLE_CASES, LONG_TIME];
