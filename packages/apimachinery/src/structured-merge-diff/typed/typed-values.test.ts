import { describe, expect, it } from 'vitest';
import {
  ANY,
  BOOL,
  constrained,
  INT_OR_STRING,
  INT32,
  list,
  map,
  OMIT_EMPTY,
  POINTER,
  QUANTITY,
  RAW_EXTENSION,
  STRING,
  struct,
} from '../../schema/builders.js';
import type { StructSchema } from '../../schema/schema.js';
import type { FieldSet } from '../field-set/field-set.js';
import { fieldsV1Of, parseFieldsV1 } from '../field-set/fields-v1.js';
import { mergeTypeOfKind } from '../field-set/merge-type.js';
import { compareTyped } from './compare-typed.js';
import { mergeTyped } from './merge-typed.js';
import { withNamedFields } from './named-fields.js';
import { reconcileSet } from './reconcile-set.js';
import { extractItems, removeItems } from './remove-items.js';
import { toFieldSet } from './to-field-set.js';
import { MergeTypeError } from './type-errors.js';
import { validateValue } from './validate-value.js';

const port: StructSchema = struct('t.Port', 't.Port', () => [
  ['port', 1, INT32],
  ['protocol', 2, STRING, OMIT_EMPTY, { default: 'TCP' }],
  ['name', 3, STRING, OMIT_EMPTY],
]);
const item: StructSchema = struct('t.Item', 't.Item', () => [
  ['id', 1, STRING, OMIT_EMPTY],
  ['v', 2, STRING, OMIT_EMPTY],
]);
const point: StructSchema = struct('t.Point', 't.Point', () => [['x', 1, INT32, OMIT_EMPTY]], { mapType: 'atomic' });
const node: StructSchema = struct('t.Node', 't.Node', () => [
  ['name', 1, STRING, OMIT_EMPTY],
  ['paused', 2, BOOL, OMIT_EMPTY],
  ['replicas', 3, INT32, OMIT_EMPTY | POINTER],
  ['cpu', 4, QUANTITY, OMIT_EMPTY],
  ['target', 5, INT_OR_STRING, OMIT_EMPTY],
  ['labels', 6, map(STRING), OMIT_EMPTY],
  ['selector', 7, constrained(map(STRING), { mapType: 'atomic' }), OMIT_EMPTY],
  ['point', 8, point, OMIT_EMPTY],
  ['granularPoint', 9, point, OMIT_EMPTY, { mapType: 'granular' }],
  ['set', 10, list(STRING, 'set'), OMIT_EMPTY],
  ['ports', 11, list(port, ['port', 'protocol']), OMIT_EMPTY],
  ['items', 12, list(item, ['id']), OMIT_EMPTY],
  ['list', 13, list(item), OMIT_EMPTY],
  ['raw', 14, RAW_EXTENSION, OMIT_EMPTY],
  ['any', 15, ANY, OMIT_EMPTY],
  ['child', 16, node, OMIT_EMPTY | POINTER],
  ['claims', 17, list(item, ['id']), OMIT_EMPTY, { keptWhenEmpty: true }],
]);
const type = mergeTypeOfKind({ schema: node, semantics: 'typed' });

const set = (fields: object): FieldSet => parseFieldsV1(fields as never);
const written = (fields: FieldSet) => fieldsV1Of(fields);
const P80 = 'k:{"port":80,"protocol":"TCP"}';

describe('toFieldSet', () => {
  it.each<[string, unknown, object]>([
    ['scalars', { name: 'a', replicas: null, target: 'x' }, { 'f:name': {}, 'f:replicas': {}, 'f:target': {} }],
    ['map keys are members', { labels: { a: '1' } }, { 'f:labels': { 'f:a': {} } }],
    ['an empty map is a member', { labels: {} }, { 'f:labels': {} }],
    ['an empty list is not', { set: [], items: [] }, {}],
    ['an empty atomic list is', { list: [] }, { 'f:list': {} }],
    ['atomic maps and structs', { selector: { a: '1' }, point: { x: 1 } }, { 'f:selector': {}, 'f:point': {} }],
    ['the field decides', { granularPoint: { x: 1 } }, { 'f:granularPoint': { 'f:x': {} } }],
    ['sets', { set: ['b', 'a'] }, { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }],
    [
      'keyed lists, with a defaulted key',
      { ports: [{ port: 80, name: 'h' }] },
      { 'f:ports': { [P80]: { '.': {}, 'f:name': {}, 'f:port': {} } } },
    ],
    [
      'duplicates are a member without fields',
      { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] },
      { 'f:ports': { [P80]: {} } },
    ],
    ['raw objects are atomic', { raw: { a: { b: [1] }, c: 'x' } }, { 'f:raw': {} }],
    ['anything may be a scalar or a list', { any: [1] }, { 'f:any': {} }],
    ['structs in themselves', { child: { child: { name: 'x' } } }, { 'f:child': { 'f:child': { 'f:name': {} } } }],
  ])('%s', (_name, value, fields) => {
    expect(written(toFieldSet(type, value))).toEqual(fields);
  });
});

describe('compareTyped', () => {
  it.each<[string, unknown, unknown, object, object, object]>([
    ['nothing', { name: 'a', labels: { a: '1' } }, { name: 'a', labels: { a: '1' } }, {}, {}, {}],
    [
      'scalars',
      { name: 'a', paused: true },
      { name: 'b', replicas: 1 },
      { 'f:replicas': {} },
      { 'f:name': {} },
      { 'f:paused': {} },
    ],
    ['a new map is added itself', {}, { labels: { a: '1' } }, { 'f:labels': { '.': {}, 'f:a': {} } }, {}, {}],
    ['a map that was there is not', { labels: null }, { labels: { a: '1' } }, { 'f:labels': { 'f:a': {} } }, {}, {}],
    ['a removed list', { set: ['a'] }, {}, {}, {}, { 'f:set': { '.': {}, 'v:"a"': {} } }],
    ['an empty list that memory keeps is absent', { name: 'a' }, { name: 'a', claims: [] }, {}, {}, {}],
    ['empty is not null', { labels: null }, { labels: {} }, {}, { 'f:labels': {} }, {}],
    [
      'atomic values',
      { list: [{ id: 'a' }], point: { x: 1 } },
      { list: [{ id: 'b' }], point: { x: 2 } },
      {},
      { 'f:list': {}, 'f:point': {} },
      {},
    ],
    [
      'keyed items',
      {
        ports: [
          { port: 80, name: 'a' },
          { port: 81, protocol: 'UDP' },
        ],
      },
      {
        ports: [
          { port: 82, protocol: 'TCP' },
          { port: 80, protocol: 'TCP', name: 'b' },
        ],
      },
      {
        'f:ports': {
          [P80]: { 'f:protocol': {} },
          'k:{"port":82,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} },
        },
      },
      { 'f:ports': { [P80]: { 'f:name': {} } } },
      { 'f:ports': { 'k:{"port":81,"protocol":"UDP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} } } },
    ],
    ['order does not count', { set: ['a', 'b'] }, { set: ['b', 'a'] }, {}, {}, {}],
    ['another shape', { any: 'x' }, { any: { a: 1 } }, { 'f:any': { 'f:a': {} } }, { 'f:any': {} }, {}],
    [
      'new duplicates',
      { set: ['a'] },
      { set: ['a', 'a'] },
      { 'f:set': { 'v:"a"': {} } },
      {},
      { 'f:set': { 'v:"a"': {} } },
    ],
    ['old duplicates', { set: ['a', 'a'] }, { set: [] }, {}, {}, { 'f:set': { 'v:"a"': {} } }],
    [
      'duplicates that change',
      { items: [{ id: 'a' }, { id: 'a', v: '1' }] },
      { items: [{ id: 'a' }, { id: 'a', v: '2' }] },
      {},
      { 'f:items': { 'k:{"id":"a"}': {} } },
      {},
    ],
    ['the same number', { replicas: 1 }, { replicas: 1n }, {}, {}, {}],
  ])('%s', (_name, before, after, ...[added, modified, removed]) => {
    const comparison = compareTyped(type, before, after);
    expect({
      added: written(comparison.added),
      modified: written(comparison.modified),
      removed: written(comparison.removed),
    }).toEqual({ added, modified, removed });
  });
});

describe('mergeTyped', () => {
  it.each<[string, unknown, unknown, unknown]>([
    ['scalars', { name: 'a', paused: true }, { name: 'b' }, { name: 'b', paused: true }],
    ['null counts', { replicas: 1 }, { replicas: null }, { replicas: null }],
    ['maps', { labels: { a: '1', b: '2' } }, { labels: { b: '3', c: '4' } }, { labels: { a: '1', b: '3', c: '4' } }],
    [
      'atomic values',
      { selector: { a: '1' }, list: [{ id: 'a' }] },
      { selector: { b: '2' }, list: [] },
      { selector: { b: '2' }, list: [] },
    ],
    [
      'sets: the applied order, live items where they stood',
      { set: ['a', 'b', 'c'] },
      { set: ['c', 'a'] },
      { set: ['b', 'c', 'a'] },
    ],
    ['sets: new items behind', { set: ['a', 'b'] }, { set: ['b', 'c'] }, { set: ['a', 'b', 'c'] }],
    ['sets: new items between', { set: ['a', 'd'] }, { set: ['a', 'b', 'd'] }, { set: ['a', 'b', 'd'] }],
    [
      'keyed items merge',
      { ports: [{ port: 80, protocol: 'TCP', name: 'a' }] },
      { ports: [{ port: 80, name: 'b' }, { port: 81 }] },
      { ports: [{ port: 80, protocol: 'TCP', name: 'b' }, { port: 81 }] },
    ],
    ['live duplicates stay, unless applied', { set: ['a', 'a', 'b', 'b'] }, { set: ['b'] }, { set: ['a', 'a', 'b'] }],
    ['raw', { raw: { a: { b: 1 }, l: [1] } }, { raw: { a: { c: 2 }, l: [2] } }, { raw: { a: { c: 2 }, l: [2] } }],
    ['another shape', { any: { a: 1 } }, { any: 'x' }, { any: 'x' }],
    ['__proto__ is data', {}, JSON.parse('{"labels":{"__proto__":"x"}}'), JSON.parse('{"labels":{"__proto__":"x"}}')],
  ])('%s', (_name, live, applied, merged) => {
    expect(mergeTyped(type, live, applied)).toEqual(merged);
  });
});

describe('removeItems and extractItems', () => {
  const value = {
    name: 'a',
    labels: { a: '1', b: '2' },
    set: ['a', 'b'],
    ports: [{ port: 80, name: 'x' }, { port: 81 }],
    list: [{ id: '1' }],
  };
  it.each<[string, object, unknown, unknown]>([
    ['nothing', {}, value, null],
    ['a field', { 'f:name': {} }, { ...value, name: undefined }, { name: 'a' }],
    ['a map key', { 'f:labels': { 'f:a': {} } }, { ...value, labels: { b: '2' } }, { labels: { a: '1' } }],
    [
      'all map keys',
      { 'f:labels': { 'f:a': {}, 'f:b': {} } },
      { ...value, labels: null },
      { labels: { a: '1', b: '2' } },
    ],
    ['a set item', { 'f:set': { 'v:"a"': {} } }, { ...value, set: ['b'] }, { set: ['a'] }],
    [
      'a keyed item',
      { 'f:ports': { [P80]: {} } },
      { ...value, ports: [{ port: 81 }] },
      { ports: [{ port: 80, name: 'x' }] },
    ],
    [
      'a field of a keyed item',
      { 'f:ports': { [P80]: { 'f:name': {} } } },
      { ...value, ports: [{ port: 80 }, { port: 81 }] },
      { ports: [{ name: 'x' }] },
    ],
    ['an atomic list', { 'f:list': {} }, { ...value, list: undefined }, { list: [{ id: '1' }] }],
  ])('%s', (_name, fields, removed, extracted) => {
    expect(removeItems(type, value, set(fields))).toEqual(removed);
    expect(extractItems(type, value, set(fields))).toEqual(extracted);
  });
});

describe('validateValue', () => {
  it.each<[string, unknown, string]>([
    ['a number for a string', { name: 5 }, '.name: expected string, got &value.valueUnstructured{Value:5}'],
    [
      'a map for a string',
      { name: { a: [null, 'x'] } },
      '.name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{interface {}(nil), "x"}}}',
    ],
    ['a string for a number', { replicas: 'x' }, '.replicas: expected numeric (int or float), got string'],
    ['a string for a boolean', { paused: 'yes' }, '.paused: expected boolean, got &{yes}'],
    ['a list for a quantity', { cpu: [1] }, '.cpu: expected any scalar, got &{[1]}'],
    ['a scalar for a map', { labels: 'x' }, '.labels: expected map, got &{x}'],
    ['a map for a list', { list: {} }, '.list: expected list, got &{map[]}'],
    ['a field nobody declared', { child: { nope: 1 } }, '.child.nope: field not declared in schema'],
    ['a duplicate in a set', { set: ['a', 'a'] }, '.set: duplicate entries for key [="a"]'],
    [
      'a duplicate key',
      { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] },
      '.ports: duplicate entries for key [port=80,protocol="TCP"]',
    ],
    [
      'no key',
      { items: [{ v: 'x' }] },
      '.items: element 0: associative list with keys has an element that omits all key fields ["id"] (and doesn\'t have default values for any key fields)',
    ],
    ['a null item', { items: [null] }, '.items: element 0: associative list with keys may not have a null element'],
    ['a scalar item', { items: ['x'] }, '.items: element 0: associative list with keys may not have non-map elements'],
    [
      'a map in a set',
      { set: [{}] },
      ".set: element 0: associative list without keys has an element that's a map type",
    ],
    ['a list in a set', { set: [[]] }, '.set: element 0: not supported: associative list with lists as elements'],
    [
      'a null in a set',
      { set: [null] },
      ".set: element 0: associative list without keys has an element that's an explicit null",
    ],
    [
      'below an item',
      { ports: [{ port: 80, name: 1.5 }] },
      '.ports[port=80,protocol="TCP"].name: expected string, got &value.valueUnstructured{Value:1.5}',
    ],
    [
      'below an atomic list',
      { list: [{ id: true }] },
      '.list[0].id: expected string, got &value.valueUnstructured{Value:true}',
    ],
    [
      'several',
      { name: 1, paused: 2 },
      'errors:\n  .name: expected string, got &value.valueUnstructured{Value:1}\n  .paused: expected boolean, got &{2}',
    ],
  ])('%s', (_name, value, message) => {
    let refusal: unknown;
    try {
      validateValue(type, value, { allowDuplicates: false });
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(MergeTypeError);
    expect((refusal as MergeTypeError).message).toBe(message);
  });

  it('accepts nulls, deduced values, and duplicates where they are allowed', () => {
    const value = { name: null, labels: null, list: null, any: { a: [{}] }, raw: { x: 1 }, set: ['a', 'a'], cpu: 1 };
    expect(() => validateValue(type, value, { allowDuplicates: true })).not.toThrow();
  });
});

describe('schemas of custom resources', () => {
  const preserving: StructSchema = { ...struct('', '', () => [['a', 0, map(STRING)]]), preserveUnknownFields: true };
  const inner: StructSchema = struct('', '', () => [['known', 0, STRING]]);
  const outer: StructSchema = Object.assign(
    struct('', '', () => [
      ['inner', 0, inner],
      ['name', 0, STRING],
    ]),
    { preserveUnknownFields: true },
  );
  it('keep undeclared fields, and so do the structs below', () => {
    const structural = mergeTypeOfKind({ schema: outer, semantics: 'structural' });
    const value = { x: { y: 1 }, inner: { z: 2, known: 'k' } };
    expect(() => validateValue(structural, value, { allowDuplicates: false })).not.toThrow();
    expect(written(toFieldSet(structural, value))).toEqual({
      'f:inner': { 'f:known': {}, 'f:z': {} },
      'f:x': { '.': {}, 'f:y': {} },
    });
    expect(() =>
      validateValue(mergeTypeOfKind({ schema: inner, semantics: 'structural' }), { z: 2 }, { allowDuplicates: false }),
    ).toThrow('.z: field');
    expect(mergeTypeOfKind({ schema: preserving, semantics: 'structural' }).map?.atomic).toBe(false);
  });

  it('have no zero defaults for keys', () => {
    const keyed: StructSchema = struct('', '', () => [
      [
        'l',
        0,
        list(
          struct('', '', () => [['k', 0, STRING]]),
          ['k'],
        ),
      ],
    ]);
    expect(() =>
      validateValue(
        mergeTypeOfKind({ schema: keyed, semantics: 'structural' }),
        { l: [{}] },
        { allowDuplicates: false },
      ),
    ).toThrow('omits all key fields');
    expect(() =>
      validateValue(mergeTypeOfKind({ schema: keyed, semantics: 'typed' }), { l: [{}] }, { allowDuplicates: false }),
    ).not.toThrow();
  });
});

it('adds declared ancestors of members', () => {
  const named = withNamedFields(
    set({ 'f:child': { 'f:labels': { 'f:a': {} } }, 'f:ports': { [P80]: { 'f:name': {} } } }),
    type,
  );
  expect(written(named)).toEqual({
    'f:child': { '.': {}, 'f:labels': { '.': {}, 'f:a': {} } },
    'f:ports': { '.': {}, [P80]: { 'f:name': {} } },
  });
});

describe('reconcileSet', () => {
  it.each<[string, object, object]>([
    ['nothing changed', { 'f:labels': { '.': {}, 'f:a': {} } }, { 'f:labels': { '.': {}, 'f:a': {} } }],
    [
      'granular became atomic',
      { 'f:list': { 'k:{"id":"1"}': { '.': {}, 'f:id': {} } }, 'f:child': { 'f:point': { 'f:x': {} } } },
      { 'f:list': {}, 'f:child': { 'f:point': {} } },
    ],
    ['atomic became granular', { 'f:labels': {}, 'f:ports': {} }, { 'f:labels': {}, 'f:ports': {} }],
    [
      'nobody declares it any more',
      { 'f:child': { 'f:gone': { 'f:x': {} } } },
      { 'f:child': { 'f:gone': { 'f:x': {} } } },
    ],
    ['nobody ever declared it', { 'f:any': { 'f:a': { 'f:b': {} } } }, { 'f:any': { 'f:a': { 'f:b': {} } } }],
  ])('%s', (_name, before, after) => {
    const reconciled = reconcileSet(set(before), type);
    expect(written(reconciled)).toEqual(after);
    expect(reconcileSet(reconciled, type)).toBe(reconciled);
  });
});
