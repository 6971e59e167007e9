import type { KubeObject } from '@apiserver/apimachinery';
import { humanDuration } from '@apiserver/apimachinery/values';
import type { Column } from '@apiserver/apiserver-contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testDefinition } from '../testing/test-definition.js';
import { createTestServer } from '../testing/test-server.js';
import { MarkedTime, TableRow } from './table-row.js';

const HOUR = 3_600_000;

describe('a row', () => {
  test('prints the ages of each time, between any texts', () => {
    const cell = fc.record({ text: fc.string({ unit: 'grapheme' }), time: fc.option(fc.integer()) });
    const property = fc.property(fc.array(cell), fc.boolean(), fc.array(fc.integer()), (cells, isWhole, times) => {
      const marks = new MarkedTime();
      // Not every age that a column asks for is in its cell.
      marks.since(1);
      const texts = cells.map(({ text, time }) => (time === null ? text : `${text}${marks.since(time)};${text}`));
      const { bytes } = marks.row(JSON.stringify(texts), isWhole);
      const row = new TableRow(Uint8Array.from(bytes));
      const printed = times.map((now) => JSON.parse(Buffer.from(row.print(now)).toString()));
      const expected = times.map((now) =>
        cells.map(({ text, time }) => (time === null ? text : `${text}${humanDuration(now - time)};${text}`)),
      );
      const between = times.map((now) =>
        JSON.parse(Buffer.from(row.print(now, Buffer.from('[0,'), Buffer.from(',1]'))).toString()),
      );
      expect([printed, between, row.isWhole]).toEqual([expected, expected.map((one) => [0, one, 1]), isWhole]);
    });
    fc.assert(property, { numRuns: fc.readConfigureGlobal()?.numRuns ?? 100 });
  });

  test('prints an unreadable time as an invalid age', () => {
    const marks = new MarkedTime();
    const row = marks.row(marks.since(Number.NaN), false);
    expect(Buffer.from(row.print(0)).toString()).toBe(String.raw`\u003cinvalid\u003e`);
  });

  test('has no mark of the row before, whose cells failed', () => {
    const marks = new MarkedTime();
    marks.since(1);
    const row = marks.row(`${marks.since(0)}|${marks.since(HOUR)}`, false);
    expect(Buffer.from(row.print(5 * HOUR)).toString()).toBe('5h|4h');
  });
});

describe('a Table', () => {
  const LIST = '/api/v1/namespaces/n/configmaps';
  const headers = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const configMap = (name: string, data: object, annotations?: Record<string, string>): KubeObject =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'n', annotations }, data }) as KubeObject;
  const age: Column = {
    name: 'Age',
    type: 'string',
    format: '',
    description: '',
    priority: 0,
    cell: (_object, now) => `${now.since(0)} ago`,
  };

  function server() {
    const base = testDefinition();
    const definition = { ...base, columns: [...base.columns, age] };
    const clock = { now: 3 * HOUR };
    const made = createTestServer({ definition, now: () => clock.now });
    const rows = async (query = '') => JSON.parse((await made.call({ url: `${LIST}${query}`, headers })).text).rows;
    const cells = async (query?: string) => (await rows(query)).map((row: { cells: unknown }) => row.cells);
    return { ...made, clock, rows, cells };
  }

  test('prints kept rows with new ages, and decodes nothing for them', async () => {
    const { storage, clock, cells } = server();
    storage.put(configMap('a', { x: '1' }));
    storage.put(configMap('b', { x: '1', y: '2' }));
    const first = await cells();
    const read = storage.valuesRead;
    clock.now = 5 * HOUR;
    const later = await cells();
    expect([first, later, storage.valuesRead - read]).toEqual([
      [
        ['a', 1, '3h ago'],
        ['b', 2, '3h ago'],
      ],
      [
        ['a', 1, '5h ago'],
        ['b', 2, '5h ago'],
      ],
      0,
    ]);
  });

  test('escapes an age before its time, as all text of a response', async () => {
    const { storage, clock, call } = server();
    storage.put(configMap('a', { x: '1' }));
    clock.now = -HOUR;
    const texts = [];
    for (let i = 0; i < 2; i++) texts.push((await call({ url: LIST, headers })).text);
    expect(texts.map((text) => /"cells":\[.*?\]/.exec(text)?.[0])).toEqual(
      Array(2).fill(String.raw`"cells":["a",1,"\u003cinvalid\u003e ago"]`),
    );
  });

  test('has the row of the new state after an update', async () => {
    const { storage, cells } = server();
    storage.put(configMap('a', { x: '1' }));
    const before = await cells();
    storage.put(configMap('a', { x: '1', y: '2' }));
    expect([before, await cells()]).toEqual([[['a', 1, '3h ago']], [['a', 2, '3h ago']]]);
  });

  test.each([
    ['?includeObject=None', [null, 'PartialObjectMetadata']],
    ['?includeObject=Object', ['ConfigMap', 'ConfigMap']],
    ['', ['PartialObjectMetadata', 'PartialObjectMetadata']],
  ])('shows the same object from kept rows: %s', async (query, kinds) => {
    const { storage, rows } = server();
    storage.put(configMap('a', {}));
    storage.put(configMap('b', {}, { 'k8s.io/initial-events-end': 'true' }));
    const first = await rows(query);
    const kept = await rows(query);
    expect([kept, first.map((row: { object: KubeObject | null }) => row.object && kindOf(row.object))]).toEqual([
      first,
      kinds,
    ]);
  });
});

function kindOf(object: KubeObject): unknown {
  return (object as { readonly kind?: string }).kind;
}
