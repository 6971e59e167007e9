import { expect, it } from 'vitest';
import { collectFieldErrors } from '../../field/collect-field-errors.js';
import { fieldErrorMessage } from '../../field/field-error.js';
import { FieldPath } from '../../field/path.js';
import { list, STRING } from '../../schema/builders.js';
import type { Schema } from '../../schema/schema.js';
import { validateListTypes, validateListTypesUpdate } from './list-types.js';
import { structuralRoot } from './structural-node.js';

function root(schema: Schema) {
  const field = { name: 'l', schema, inline: false, pointer: false, omitEmpty: false, omitZero: false };
  return structuralRoot({
    type: 'struct',
    name: '',
    goName: '',
    protobuf: false,
    fields: [{ ...field, optional: true, proto: 0 }],
  });
}

const keyed: Schema = { ...list({ type: 'any' }, ['name', 'port']) };

it.each([
  ['a set', list(STRING, 'set'), ['a', 'b', 'a', 'a'], ['l[2]: Duplicate value: "a"']],
  ['an atomic list', list(STRING, 'atomic'), ['a', 'a'], []],
  [
    'a map',
    keyed,
    [{ name: 'x', port: 80, v: 1 }, { name: 'y' }, { name: 'x', port: 80 }],
    ['l[2]: Duplicate value: {"name":"x","port":80}'],
  ],
  ['a map with null', keyed, [null, { name: 'y' }], []],
  ['a map with null twice', keyed, [null, null, { name: 'y' }], ['l[1]: Duplicate value: {}']],
  ['a map of something else', keyed, [1], ['l[0]: Invalid value: 1: must be an object for an array of list-type map']],
])('%s', (_what, schema, value, expected) => {
  expect(validateListTypes({ l: value }, root(schema), FieldPath.none).map(fieldErrorMessage)).toEqual(expected);
});

it.each([
  ['one duplicate', 1],
  ['more duplicates than a validation tells of', 20_000],
])('an update of what was stored with %s', (_what, count) => {
  const wrong = { l: Array.from({ length: count + 1 }, () => 'a') };
  const update = (old: unknown) =>
    collectFieldErrors(() => validateListTypesUpdate(wrong, old, root(list(STRING, 'set')), FieldPath.none)).map(
      fieldErrorMessage,
    );
  expect([update(wrong), update({ l: ['a'] })[0]]).toEqual([[], 'l[1]: Duplicate value: "a"']);
});
