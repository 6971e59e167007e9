import type { JsonObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { rowTime } from '@apiserver/resource-kit';
import { it } from 'vitest';
import { customColumns } from '../../../packages/apiextensions/src/custom-resource/columns.ts';
import { customKind } from '../../../packages/apiextensions/src/schema/custom-kind.ts';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import { describeUpstream } from '../upstream-program.ts';
import { randomMembers, randomPath } from './random-column.ts';

const TYPES = ['string', 'integer', 'number', 'boolean', 'date', 'other'] as const;
const codec = compileKind(
  customKind({
    gvk: { group: 'diff.example', version: 'v1', kind: 'Thing' },
    listKind: 'ThingList',
    plural: 'things',
    namespaced: false,
    props: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    preserveUnknownFields: false,
    isStructural: () => true,
    selectableFieldNames: [],
  }),
);

interface ColumnCase {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly jsonPath: string }[];
  readonly object: JsonObject;
}

/** One column: Go visits the members of a map in another order for each. */
function randomCase(random: Random): ColumnCase {
  const type = random.of(TYPES);
  const columns = [{ name: type, type, jsonPath: randomPath(random) }];
  const head = { apiVersion: 'diff.example/v1', kind: 'Thing', metadata: { name: 'n' } };
  return { columns, object: { ...head, ...randomMembers(random, 4) } };
}

/** Ages go on while both sides answer. */
const comparable = (cells: string): string => cells.replaceAll(/"\d+[a-z\d]*"/g, '"AGE"');

function ours({ columns, object }: ColumnCase): string {
  const stored = codec.decodeJson(Buffer.from(stringifyJson(object)), 'Ignore').object;
  const now = rowTime(Date.now());
  const [, ...made] = customColumns(columns);
  return comparable(stringifyJson(made.map(({ cell }) => cell(stored, now))));
}

describeUpstream('columns', (upstream) => {
  it('show what upstream shows', () =>
    compareCases(upstream(), {
      // Wildcards visit the members of a map in any order.
      ...{ area: 'columns', randomCase, ours, mostAsked: 400 },
      theirs: ({ cells = 'panic' }: { readonly cells?: string }) => comparable(cells),
      difference: (their, our) => (their === our || their === 'panic' ? undefined : { theirs: their, ours: our }),
    }));
});
