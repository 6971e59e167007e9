import type { JsonObject } from '@apiserver/apimachinery';
import { encodeYaml } from '@apiserver/apimachinery/codec/yaml';
import { expect, it } from 'vitest';
import type { Pieces } from '../views/pieces.js';
import { yamlListPieces } from './yaml-list.js';

const item = (name: string) => ({ metadata: { name }, data: { 'a"}]': '\\"[{', b: 'x\ny' }, list: [{}, [1]] });

/** JSON in pieces of `size` bytes behind the first, which ends where the items begin. */
function* piecesOf(list: JsonObject, key: string, size: number): Generator<Uint8Array> {
  const json = Buffer.from(JSON.stringify(list));
  const head = json.indexOf(`"${key}":[`) + key.length + 4;
  yield json.subarray(0, head);
  for (let at = head; at < json.length; at += size) yield json.subarray(at, at + size);
}

const bytesOf = (pieces: Pieces) => Buffer.concat([...pieces].filter((piece) => piece instanceof Uint8Array));

it.each<[string, string, JsonObject]>([
  ['a typed list', 'items', { kind: 'L', apiVersion: 'v1', metadata: {}, items: [item('a'), item('b'), item('c')] }],
  ['a custom list', 'items', { apiVersion: 'v1', items: [item('a'), item('b')], kind: 'L', metadata: { x: '[{' } }],
  ['an empty list', 'items', { kind: 'L', apiVersion: 'v1', metadata: { continue: ']' }, items: [] }],
  ['a table', 'rows', { kind: 'T', apiVersion: 'v1', columns: [{}], rows: [{ cells: ['a', 1, null] }, { cells: [] }] }],
])('writes %s as a whole would be', (_, key, list) => {
  for (const size of [1, 2, 7, 10_000]) {
    const written = bytesOf(yamlListPieces(piecesOf(list, key, size))).toString();
    expect(written).toBe(Buffer.from(encodeYaml(list)).toString());
  }
});

it('writes as a whole what has no list', () => {
  const json = Buffer.from('{"kind":"L","items":null}');
  expect(bytesOf(yamlListPieces([json])).toString()).toBe('items: null\nkind: L\n');
});

it('yields each item when it has come', () => {
  const list = { items: Array.from({ length: 100 }, (_, i) => item(`${i}`)) };
  expect([...yamlListPieces(piecesOf(list, 'items', 50))]).toHaveLength(101);
});

it('ends the underlying list when the consumer stops', () => {
  const list = { items: [item('a'), item('b'), item('c')] };
  let isEnded = false;
  function* pieces() {
    try {
      yield* piecesOf(list, 'items', 50);
    } finally {
      isEnded = true;
    }
  }
  for (const _ of yamlListPieces(pieces())) break;
  expect(isEnded).toBe(true);
});

it('yields inside a large item', () => {
  const data = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`key-${i}`, '']));
  const list = { items: [item('a'), { data, kind: 'Large' }, item('b')] };
  const pieces = [...yamlListPieces(piecesOf(list, 'items', 10_000))];
  expect(pieces.filter((piece) => piece instanceof Promise).length).toBeGreaterThan(10);
  expect(bytesOf(pieces).toString()).toBe(Buffer.from(encodeYaml(list)).toString());
});
