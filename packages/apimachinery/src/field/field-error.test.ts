import { describe, expect, it } from 'vitest';
import { aggregateFieldErrors, aggregateMessages } from './aggregate.js';
import { MAX_ERROR_TEXT } from './capped-errors.js';
import {
  type FieldError,
  fieldDuplicate,
  fieldErrorBody,
  fieldErrorMessage,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  fieldTooFew,
  fieldTooLong,
  fieldTooLongCharacters,
  fieldTooMany,
  fieldTooShort,
  fieldTypeInvalid,
} from './field-error.js';
import { FieldPath } from './path.js';
import { printedAsJson } from './print-value.js';

const path = FieldPath.of('spec', 'a');

describe('fieldErrorMessage', () => {
  const cases: readonly (readonly [FieldError, string])[] = [
    [fieldInvalid(path, 'x"y\u0007<', 'bad'), 'spec.a: Invalid value: "x\\"y\\a<": bad'],
    [fieldInvalid(path, printedAsJson('<TCP>'), 'bad'), 'spec.a: Invalid value: "\\u003cTCP\\u003e": bad'],
    [fieldInvalid(path, 0.00001, 'bad'), 'spec.a: Invalid value: 1e-05: bad'],
    [
      fieldInvalid(path, -1, 'must be greater than or equal to 0'),
      'spec.a: Invalid value: -1: must be greater than or equal to 0',
    ],
    [fieldInvalid(path, true, ''), 'spec.a: Invalid value: true'],
    [fieldInvalid(path, undefined, 'must be set'), 'spec.a: Invalid value: null: must be set'],
    [
      fieldInvalid(path, { b: 1, a: [9007199254740993n, '&'], u: undefined }, 'x'),
      'spec.a: Invalid value: {"b":1,"a":[9007199254740993,"\\u0026"]}: x',
    ],
    [fieldRequired(path, ''), 'spec.a: Required value'],
    [fieldRequired(path, 'must be set'), 'spec.a: Required value: must be set'],
    [fieldDuplicate(path, 'x'), 'spec.a: Duplicate value: "x"'],
    [fieldNotFound(path, 'x'), 'spec.a: Not found: "x"'],
    [fieldForbidden(path, 'no'), 'spec.a: Forbidden: no'],
    [
      fieldNotSupported(path, 'XYZ', ['SCTP', 'TCP']),
      'spec.a: Unsupported value: "XYZ": supported values: "SCTP", "TCP"',
    ],
    [fieldNotSupported(path, ['Some'], []), 'spec.a: Unsupported value: ["Some"]'],
    [
      fieldTypeInvalid(path, 'string', 'must be of type integer'),
      'spec.a: Invalid value: "string": must be of type integer',
    ],
    [fieldInternal(path, new Error('oops')), 'spec.a: Internal error: oops'],
    [fieldTooLong(path, 1), 'spec.a: Too long: may not be more than 1 byte'],
    [fieldTooLong(path, 262144), 'spec.a: Too long: may not be more than 262144 bytes'],
    [fieldTooLong(path, -1), 'spec.a: Too long: value is too long'],
    [fieldTooLongCharacters(path, 5), 'spec.a: Too long: may not be more than 5 characters'],
    [fieldTooShort(path, 'x', 2), 'spec.a: Too short: must be at least 2 characters'],
    [fieldTooMany(path, 3, 1), 'spec.a: Too many: 3: must have at most 1 item'],
    [fieldTooMany(path, -1, -1), 'spec.a: Too many: has too many items'],
    [fieldTooFew(path, 0, 2), 'spec.a: Too few: 0: must have at least 2 items'],
  ];

  it.each(cases)('%o', (error, message) => {
    expect(fieldErrorMessage(error)).toBe(message);
  });
});

it('cuts a value and a detail that are longer than all errors may be', () => {
  const long = '\n'.repeat(MAX_ERROR_TEXT);
  const body = (value: unknown, detail: string) => fieldErrorBody(fieldInvalid(path, value, detail));
  expect(body(long, long)).toBe(`Invalid value: "${'\\n'.repeat(MAX_ERROR_TEXT)}": ${long}`);
  expect(body(`${long}x`, `${long}x`)).toBe(`Invalid value: "${'\\n'.repeat(MAX_ERROR_TEXT)}…": ${long}…`);
  expect(body([long, long], '').length).toBeLessThan(2 * MAX_ERROR_TEXT + 20);
});

describe('FieldPath', () => {
  it.each([
    [FieldPath.of('metadata', 'name'), 'metadata.name'],
    [FieldPath.of('spec').child('ports').index(0).child('name'), 'spec.ports[0].name'],
    [FieldPath.of('metadata', 'labels').key('a.b/c'), 'metadata.labels[a.b/c]'],
    [FieldPath.none, '<nil>'],
    [FieldPath.none.child('values').index(2).key('k'), 'values[2][k]'],
    [FieldPath.none.index(1), '[1]'],
  ])('%s', (built, text) => {
    expect(built.toString()).toBe(text);
  });
});

describe('aggregates', () => {
  it('prints one message bare, several in brackets, each text once', () => {
    expect([
      aggregateMessages([]),
      aggregateMessages(['a']),
      aggregateMessages(['a', 'a']),
      aggregateMessages(['b', 'a', 'b']),
      aggregateFieldErrors([fieldRequired(path, ''), fieldForbidden(path, 'x')]),
    ]).toEqual(['', 'a', 'a', '[b, a]', '[spec.a: Required value, spec.a: Forbidden: x]']);
  });
});
