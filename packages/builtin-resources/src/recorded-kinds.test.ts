import type { KubeObject } from '@apiserver/apimachinery';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import {
  type ComparedCase,
  comparedConversion,
  comparedDefaults,
  comparedRow,
  comparedValidation,
} from './testing/recorded-kinds/compared-cases.js';
import { columnsIn136, UNSERVED_KINDS } from './testing/recorded-kinds/exceptions.js';
import { areCasesThere, type RecordedCase, recordedKinds } from './testing/recorded-kinds/recorded-cases.js';
import { type ServedKind, servedKinds } from './testing/recorded-kinds/served-kinds.js';

const kinds = servedKinds();
const { validation, defaults, conversion, rows, columns } = recordedKinds();

/** Cases of one kind, as a table of tests. */
function byKind<C extends RecordedCase>(cases: readonly C[]) {
  const groups = Map.groupBy(cases, ({ object: { apiVersion, kind } }) => `${apiVersion}/${kind}`);
  return [...groups].filter(([kind]) => !UNSERVED_KINDS.has(kind)).map(([kind, ofKind]) => ({ kind, cases: ofKind }));
}

function served(kind: string): ServedKind {
  const found = kinds.get(kind);
  if (found === undefined) throw new Error(`${kind} is not served`);
  return found;
}

/** Compares all cases at once, so that a failure shows every case that differs. */
function expectAgreement<C extends RecordedCase>(cases: readonly C[], compare: (one: C) => ComparedCase): void {
  const compared = cases.map((one) => [one.id, compare(one)] as const);
  expect(Object.fromEntries(compared.map(([id, { answered }]) => [id, answered]))).toEqual(
    Object.fromEntries(compared.map(([id, { recorded }]) => [id, recorded])),
  );
}

function contextOf({ metadata }: KubeObject, apiGroup: string): VerbContext {
  const requestInfo: VerbContext['requestInfo'] = {
    ...{ isResourceRequest: true, path: '/', verb: 'create', apiPrefix: 'apis', apiGroup, apiVersion: 'v1' },
    ...{ namespace: metadata.namespace ?? '', resource: '', subresource: '', name: metadata.name ?? '', parts: [] },
    ...{ fieldSelector: '', labelSelector: '' },
  };
  return { ...testContext({ namespace: metadata.namespace ?? '' }), requestInfo };
}

describe.skipIf(!areCasesThere)('as the packages of upstream answered (skipped where ../shared is absent)', () => {
  describe.each(byKind(validation))('$kind', ({ kind, cases }) => {
    const operations = [...Map.groupBy(cases, ({ op }) => op)].map(([op, ofOp]) => ({ op, ofOp }));
    it.each(operations)('validation: $op', ({ ofOp }) => {
      expectAgreement(ofOp, (one) => comparedValidation(kinds.get(kind), one, (group) => contextOf(one.object, group)));
    });
  });

  it.each(byKind(defaults))('defaults of $kind', ({ kind, cases }) => {
    expectAgreement(cases, (one) => comparedDefaults(served(kind), one));
  });

  const converted = conversion.filter(({ to, object }) => !UNSERVED_KINDS.has(`${to}/${object.kind}`));
  it.each(byKind(converted))('conversion of $kind', ({ kind, cases }) => {
    expectAgreement(cases, (one) => comparedConversion(served(kind), served(`${one.to}/${one.object.kind}`), one));
  });

  it.each(byKind(rows))('rows of $kind', ({ kind, cases }) => {
    expectAgreement(cases, (one) => comparedRow(served(kind), one));
  });

  const described = Object.entries(columns).filter(([kind]) => !UNSERVED_KINDS.has(kind));
  it.each(described)('columns of %s', (kind, recorded) => {
    const own = served(kind).definition.columns.filter(({ undeclared }) => !undeclared);
    expect(own.map(({ name, type, format, priority }) => ({ name, type, format, priority }))).toEqual(
      columnsIn136(kind, recorded),
    );
  });

  it('leaves out only kinds that are not served', () => {
    expect([...UNSERVED_KINDS].filter((kind) => kinds.has(kind))).toEqual([]);
  });
});
