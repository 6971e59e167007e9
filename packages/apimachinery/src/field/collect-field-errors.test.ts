import { describe, expect, it } from 'vitest';
import { newInvalid } from '../errors/status-factories.js';
import { MAX_ERRORS } from './capped-errors.js';
import {
  collectFieldErrors,
  hasFieldErrors,
  MAX_FIELD_ERROR_TEXT_MADE,
  MAX_FIELD_ERRORS_MADE,
} from './collect-field-errors.js';
import { type FieldError, fieldInvalid, fieldRequired } from './field-error.js';
import { FieldPath } from './path.js';

const list = FieldPath.of('spec', 'list');

/** A validation that fails at `count` places, and the number of errors it created. */
function wrongAt(count: number) {
  const work = { made: 0 };
  const validate = () =>
    Array.from({ length: count }, (_, i) => {
      work.made++;
      return fieldRequired(list.index(i), '');
    });
  return { work, validate };
}

function responseTo(errors: readonly FieldError[]) {
  const { message = '', details } = newInvalid({ group: '', kind: 'Pod' }, 'a', errors).status;
  return { message, causes: details?.causes ?? [] };
}

describe('collectFieldErrors', () => {
  it('returns the errors of a validation', () => {
    const one = fieldRequired(list, '');
    expect(collectFieldErrors(() => [one])).toEqual([one]);
  });

  it.each<[number, string]>([
    [MAX_ERRORS + 1, 'and 1 more error'],
    [MAX_FIELD_ERRORS_MADE, 'and 9000 more errors'],
    [MAX_FIELD_ERRORS_MADE + 1, 'and at least 9001 more errors'],
    [1_000_000, 'and at least 9001 more errors'],
  ])('tells the first of %i errors in order, and that there are more', (count, more) => {
    const { work, validate } = wrongAt(count);
    const { message, causes } = responseTo(collectFieldErrors(validate));
    expect(work.made).toBeLessThanOrEqual(MAX_FIELD_ERRORS_MADE + 1);
    expect(causes.length).toBe(MAX_ERRORS + 1);
    expect(causes[1]).toEqual({ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.list[1]' });
    expect(causes.at(-1)).toEqual({ reason: 'FieldValueTooMany', message: `Too many: ${more}`, field: '<nil>' });
    expect(message.startsWith('Pod "a" is invalid: [spec.list[0]: Required value, spec.list[1]: Req')).toBe(true);
    expect(message.endsWith(`, <nil>: Too many: ${more}]`)).toBe(true);
  });

  it('bounds the repetition of a long value', () => {
    const long = 'x'.repeat(100_000);
    const errors = collectFieldErrors(() =>
      Array.from({ length: 50 }, (_, i) => fieldInvalid(list.index(i), long, '')),
    );
    const { message, causes } = responseTo(errors);
    expect(causes.map(({ field }) => field)).toEqual(['spec.list[0]', 'spec.list[1]', '<nil>']);
    expect(message.length).toBeLessThan(300_000);
  });

  it('aborts a validation whose errors have long fields', () => {
    const deep = Array.from({ length: 10 }).reduce<FieldPath>((path) => path.child('x'.repeat(10_000)), list);
    let made = 0;
    const errors = collectFieldErrors(() =>
      Array.from({ length: 1_000 }, () => {
        made++;
        return fieldRequired(deep, '');
      }),
    );
    const most = Math.ceil(MAX_FIELD_ERROR_TEXT_MADE / deep.toString().length);
    expect([made, errors.length, errors.at(-1)?.detail]).toEqual([most, most, 'and at least 1 more error']);
  });

  it('counts a nested validation separately', () => {
    const outer = collectFieldErrors(() => {
      const inner = collectFieldErrors(wrongAt(MAX_FIELD_ERRORS_MADE).validate);
      return inner.length > 0 ? [fieldRequired(list, 'inner')] : [];
    });
    expect(outer.map(({ detail }) => detail)).toEqual(['inner']);
  });

  it('passes other errors on, and ends with them', () => {
    const bug = () => {
      throw new TypeError('a bug');
    };
    expect(() => collectFieldErrors(bug)).toThrow('a bug');
    expect(wrongAt(MAX_FIELD_ERRORS_MADE + 1).validate().length).toBe(MAX_FIELD_ERRORS_MADE + 1);
  });
});

it.each([
  [0, false, 0],
  [1, true, 1],
  [1_000_000, true, 1],
])(
  'hasFieldErrors ends at the first of %i errors, and leaves the validation around it alone',
  (count, expected, made) => {
    const { work, validate } = wrongAt(count);
    const responses: boolean[] = [];
    const around = collectFieldErrors(() => {
      responses.push(hasFieldErrors(validate));
      return wrongAt(MAX_FIELD_ERRORS_MADE).validate();
    });
    expect([responses, work.made, around.length]).toEqual([[expected], made, MAX_FIELD_ERRORS_MADE]);
  },
);
