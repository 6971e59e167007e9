import { type ConflictingFields, FieldSet } from '@apiserver/apimachinery/structured-merge-diff';
import { describe, expect, it } from 'vitest';
import { conflictError } from './conflict-error.js';

const manager = (name: string) => JSON.stringify({ manager: name, operation: 'Update', apiVersion: 'v1' });

const fieldsOf = (name: string, count: number): ConflictingFields => ({
  manager: manager(name),
  set: FieldSet.of(...Array.from({ length: count }, (_, i) => ['f:data', `f:${name}${1000 + i}`])),
});

describe('conflictError', () => {
  it.each<[string, readonly ConflictingFields[], string]>([
    ['one', [fieldsOf('a', 1)], 'Apply failed with 1 conflict: conflict with "a" using v1: .data.a1000'],
    [
      'a large number in a key',
      [{ manager: manager('a'), set: FieldSet.of(['f:ports', 'k:{"name":80,"port":2147483647}', 'f:name']) }],
      'Apply failed with 1 conflict: conflict with "a" using v1: .ports[name=80,port=2.147483647e+09].name',
    ],
    [
      'several',
      [fieldsOf('b', 1), fieldsOf('a', 2)],
      'Apply failed with 3 conflicts: conflicts with "a" using v1:\n- .data.a1000\n- .data.a1001\n' +
        'conflicts with "b" using v1:\n- .data.b1000',
    ],
  ])('tells of %s', (_, fields, message) => {
    expect(conflictError(fields).status.message).toBe(message);
  });

  it('tells of the first of very many', () => {
    const { message = '', details } = conflictError([fieldsOf('a', 3000)]).status;
    expect(message.startsWith('Apply failed with 3000 conflicts: conflicts with "a" using v1:\n- .data.a1000\n')).toBe(
      true,
    );
    expect(message.endsWith('\n- .data.a1999\n- and 2000 more conflicts')).toBe(true);
    expect([details?.causes?.length, details?.causes?.at(-1)]).toEqual([
      1001,
      { reason: 'FieldManagerConflict', message: 'and 2000 more conflicts' },
    ]);
  });
});
