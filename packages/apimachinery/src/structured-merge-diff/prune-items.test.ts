import { expect, it } from 'vitest';
import { list, STRING, struct } from '../schema/builders.js';
import { EMPTY_SET, FieldSet } from './field-set/field-set.js';
import { mergeTypeOfKind } from './field-set/merge-type.js';
import { pruneItems } from './prune-items.js';
import type { MergeContext, TypedValue } from './typed/typed-value.js';

const schema = struct('t.Object', 't.Object', () => [
  ['a', 1, STRING, 1],
  ['list', 2, list(STRING), 1],
]);
const type = mergeTypeOfKind({ schema, semantics: 'typed' });
const typed = (apiVersion: string, value: object): TypedValue => ({ apiVersion, type, value });

/** Conversions show in which version a value has been emptied, and make a member `list`. */
const context: MergeContext = {
  convert: ({ value }, apiVersion) => typed(apiVersion, { ...(value as object), list: [] }),
  withoutEmpty: ({ apiVersion, value }) => typed(apiVersion, { ...(value as object), list: [apiVersion] }),
  resetFieldsIn: () => EMPTY_SET,
};

it.each([
  ['v2', [], ['v1']],
  ['v1', [], []],
])('a value whose applier used %s before has no empty members in either version', (apiVersion, before, after) => {
  const set = FieldSet.of(['f:a']);
  const managers = new Map([['m', { set: EMPTY_SET, apiVersion: 'v1', applied: true }]]);
  const last = { set, apiVersion, applied: true };
  const pruned = pruneItems(context, typed('v1', { a: '1', list: before }), { managers, manager: 'm', last });
  expect(pruned).toEqual(typed('v1', { list: after }));
});
