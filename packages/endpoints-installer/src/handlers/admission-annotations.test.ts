import { describe, expect, test } from 'vitest';
import { createTestExchange } from '../testing/test-exchange.js';
import { ADMISSION_ANNOTATIONS, addAnnotation } from './admission-annotations.js';

describe('annotations of admission', () => {
  const exchange = createTestExchange({ url: '/' });
  const add = (key: string, value: string) => addAnnotation(exchange, key, { level: 'Metadata', value });

  test('are kept with their level', () => {
    addAnnotation(exchange, 'plugin/a', { level: 'Request', value: '1' });
    add('plugin/b', '2');
    add('plugin/b', '2');
    expect(exchange.context.values.get(ADMISSION_ANNOTATIONS)).toEqual(
      new Map([
        ['plugin/a', { level: 'Request', value: '1' }],
        ['plugin/b', { level: 'Metadata', value: '2' }],
      ]),
    );
  });

  test('keep their first value', () => {
    expect(add('plugin/a', '1')).toBe(
      'admission annotations are not allowd to be overwritten, key:"plugin/a", old value: {Request 1}, new value: {Metadata 1}',
    );
  });

  test('have a qualified key', () => {
    expect(add('key', '')).toMatch(
      "annotation key has invalid format, the right format is a DNS subdomain prefix and '/' and key name.",
    );
    expect(add('plugin/_', '')).toMatch(
      /^annotation key has invalid format .*name part must consist of .* is required\.$/,
    );
  });
});
