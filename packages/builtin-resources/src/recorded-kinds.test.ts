import type { KubeObject } from '@apiserver/apimachinery';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { defaultColumns, rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import {
  type ComparedCase,
  comparedConversion,
  comparedDefaults,
  comparedRow,
  comparedValidation,
} from './testing/recorded-kinds/compared-cases.js';
import { defaultedFields, ownDefaultedFields } from './testing/recorded-kinds/defaulted-fields.js';
import { columnsIn136, UNSERVED_KINDS } from './testing/recorded-kinds/exceptions.js';
import { areCasesThere, type RecordedCase, recordedKinds } from './testing/recorded-kinds/recorded-cases.js';
import { decodedInHub, type ServedKind, servedKinds } from './testing/recorded-kinds/served-kinds.js';
import {
  DEFAULT_TABLES,
  NEW_VERSIONS,
  UNFILLED_COLUMNS,
  UNRECORDED_DEFAULTS,
  UNRECORDED_KINDS,
} from './testing/recorded-kinds/unrecorded.js';

const kinds = servedKinds();
const { validation, defaults, conversion, rows, columns } = recordedKinds();

/** Groups cases by kind, as a table of tests. */
function byKind<C extends RecordedCase>(cases: readonly C[]) {
  const groups = Map.groupBy(cases, ({ object: { apiVersion, kind } }) => `${apiVersion}/${kind}`);
  return [...groups].filter(([kind]) => !UNSERVED_KINDS.has(kind)).map(([kind, ofKind]) => ({ kind, cases: ofKind }));
}

function served(kind: string): ServedKind {
  const found = kinds.get(kind);
  if (found === undefined) throw new Error(`${kind} is not served`);
  return found;
}

/** Compares all cases at once, so that a failure shows every difference. */
async function expectAgreement<C extends RecordedCase>(
  cases: readonly C[],
  compare: (one: C) => ComparedCase | Promise<ComparedCase>,
): Promise<void> {
  const compared = await Promise.all(cases.map(async (one) => [one.id, await compare(one)] as const));
  expect(Object.fromEntries(compared.map(([id, { actual }]) => [id, actual]))).toEqual(
    Object.fromEntries(compared.map(([id, { recorded }]) => [id, recorded])),
  );
}

function contextOf({ metadata }: KubeObject, apiGroup: string): VerbContext {
  const requestInfo: VerbContext['requestInfo'] = {
    isResourceRequest: true,
    path: '/',
    verb: 'create',
    apiPrefix: 'apis',
    apiGroup,
    apiVersion: 'v1',
    namespace: metadata.namespace ?? '',
    resource: '',
    subresource: '',
    name: metadata.name ?? '',
    parts: [],
    fieldSelector: '',
    labelSelector: '',
  };
  return { ...testContext({ namespace: metadata.namespace ?? '' }), requestInfo };
}

const NO_CONTENT: ReadonlySet<unknown> = new Set([null, '', 0, '0', '<none>', '<unknown>', '<unset>', 'Unknown']);

function hasContent(cell: unknown): boolean {
  return !NO_CONTENT.has(cell);
}

it.each(Object.entries(UNFILLED_COLUMNS))('the cell of %s', (column, { fields, cell }) => {
  const [kind = '', ...name] = column.split(' ');
  const [apiVersion, kindName] = [kind.slice(0, kind.lastIndexOf('/')), kind.slice(kind.lastIndexOf('/') + 1)];
  const { metadata, ...others }: Partial<KubeObject> = fields;
  const object = { ...others, apiVersion, kind: kindName, metadata: { ...metadata, name: 'a' } };
  const shown = served(kind).definition.columns.find((one) => one.name === name.join(' '));
  expect(shown?.cell(decodedInHub(served(kind), object), rowTime(0))).toBe(cell);
});

describe.skipIf(!areCasesThere)("equals the results of upstream's packages (skipped without ../shared)", () => {
  describe.each(byKind(validation))('$kind', ({ kind, cases }) => {
    const operations = [...Map.groupBy(cases, ({ op }) => op)].map(([op, ofOp]) => ({ op, ofOp }));
    it.each(operations)('validation: $op', ({ ofOp }) =>
      expectAgreement(ofOp, (one) => comparedValidation(kinds.get(kind), one, (group) => contextOf(one.object, group))),
    );
  });

  it.each(byKind(defaults))('defaults of $kind', ({ kind, cases }) => {
    return expectAgreement(cases, (one) => comparedDefaults(served(kind), one));
  });

  const converted = conversion.filter(({ to, object }) => !UNSERVED_KINDS.has(`${to}/${object.kind}`));
  it.each(byKind(converted))('conversion of $kind', ({ kind, cases }) => {
    return expectAgreement(cases, (one) =>
      comparedConversion(served(kind), served(`${one.to}/${one.object.kind}`), one),
    );
  });

  it.each(byKind(rows))('rows of $kind', ({ kind, cases }) => {
    return expectAgreement(cases, (one) => comparedRow(served(kind), one));
  });

  const described = Object.entries(columns).filter(([kind]) => !UNSERVED_KINDS.has(kind));
  it.each(described)('columns of %s', (kind, recorded) => {
    const own = served(kind).definition.columns.filter(({ undeclared }) => !undeclared);
    expect(own.map(({ name, type, format, priority }) => ({ name, type, format, priority }))).toEqual(
      columnsIn136(kind, recorded),
    );
  });

  it('every kind has recorded defaults', () => {
    const recorded = new Set(defaults.map(({ object: { apiVersion, kind } }) => `${apiVersion}/${kind}`));
    expect([...kinds.keys()].filter((kind) => !recorded.has(NEW_VERSIONS[kind] ?? kind))).toEqual(UNRECORDED_KINDS);
  });

  it('no kind has a default that was not recorded, except those with a reason', () => {
    const recorded = new Set(
      defaults.flatMap(({ object, defaulted }) => {
        const kind = kinds.get(`${object.apiVersion}/${object.kind}`);
        return kind === undefined ? [] : [...defaultedFields(kind.version.schema.schema, object, defaulted)];
      }),
    );
    const own = new Set([...kinds.values()].flatMap((kind) => [...ownDefaultedFields(kind)]));
    expect([...own].filter((field) => !recorded.has(field)).sort()).toEqual(Object.keys(UNRECORDED_DEFAULTS).sort());
    // A walk that met no defaults would pass the comparison above.
    expect(own.size).toBeGreaterThan(100);
  });

  it('kinds without recorded columns have those of every kind', () => {
    const unrecorded = [...kinds].filter(
      ([kind]) => columns[NEW_VERSIONS[kind] ?? kind] === undefined && !UNRECORDED_KINDS.includes(kind),
    );
    expect(unrecorded.map(([kind, { definition }]) => [kind, definition.columns])).toEqual(
      DEFAULT_TABLES.map((kind) => [kind, defaultColumns]),
    );
  });

  it('every column has a recorded cell with content, or one by hand', () => {
    const empty = described.flatMap(([kind, ofKind]) => {
      const cells = rows.filter(({ object }) => `${object.apiVersion}/${object.kind}` === kind).map((row) => row.cells);
      return ofKind.flatMap(({ name }, i) => (cells.some((row) => hasContent(row[i])) ? [] : [`${kind} ${name}`]));
    });
    expect(empty.sort()).toEqual(Object.keys(UNFILLED_COLUMNS).sort());
  });

  it('skips only kinds that are not served', () => {
    expect([...UNSERVED_KINDS].filter((kind) => kinds.has(kind))).toEqual([]);
  });
});
