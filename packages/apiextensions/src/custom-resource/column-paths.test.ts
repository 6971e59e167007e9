import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileKind } from '@apiserver/apimachinery/codec';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { customKind } from '../schema/custom-kind.js';
import { customColumns } from './columns.js';

/** One path, with the cells of each column type. `refused`: valid in a definition, but there is no such column. */
interface RecordedColumn {
  readonly path: string;
  readonly refused?: boolean;
  /** In JSON, by type: string, integer, number, boolean, date. */
  readonly cells?: readonly string[];
}

/** Recorded from the tableconvertor of k8s.io/apiextensions-apiserver v0.36.6. */
const recorded: { readonly object: string; readonly columns: readonly RecordedColumn[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../testing/conversations/columns.json'), 'utf8'),
);

const TYPES = ['string', 'integer', 'number', 'boolean', 'date'];

const kind = customKind({
  gvk: { group: 'diff.example', version: 'v1', kind: 'Thing' },
  listKind: 'ThingList',
  plural: 'things',
  namespaced: false,
  props: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  preserveUnknownFields: false,
  isStructural: () => true,
  selectableFieldNames: [],
});
const { object } = compileKind(kind).decodeJson(Buffer.from(recorded.object), 'Ignore');

/** Converts all integers to bigint. */
function exact(value: unknown): unknown {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

function fromJson(text: string): unknown {
  return /^-?\d+$/.test(text) ? BigInt(text) : exact(JSON.parse(text));
}

describe('columns equal those of 1.36', () => {
  it.each(recorded.columns)('$path', ({ path, refused, cells = [] }) => {
    const [, ...columns] = customColumns(TYPES.map((type) => ({ name: type, type, jsonPath: path })));
    const shown = columns.map(({ cell }) => exact(cell(object, rowTime(0))));
    expect(shown).toEqual(refused ? [] : cells.map(fromJson));
  });
});

it('shows the age of a past date', () => {
  const [, date] = customColumns([{ name: 'd', type: 'date', jsonPath: '.spec.at' }]);
  const at = (text: string) => date?.cell({ ...object, spec: { at: text } }, rowTime('2024-01-02T00:00:00Z'));
  expect(['2024-01-01T00:00:00Z', '2024-01-02T00:00:05Z', '2024-01-01', ''].map(at)).toEqual([
    '24h',
    '<invalid>',
    '<invalid>',
    '<unknown>',
  ]);
});
