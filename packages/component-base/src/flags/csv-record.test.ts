import { ParseError } from '@apiserver/apimachinery/text';
import { expect, it } from 'vitest';
import { readCsvRecord, writeCsvRecord } from './csv-record.js';

// Go 1.26 reads and writes the same.
it.each<[string, readonly string[]]>([
  ['a', ['a']],
  ['a,b,,c', ['a', 'b', '', 'c']],
  ['a,', ['a', '']],
  [',', ['', '']],
  [' a , b', [' a ', ' b']],
  ['""', ['']],
  ['"a,b",c', ['a,b', 'c']],
  ['c,"a""b"', ['c', 'a"b']],
  ['"a\nb",c', ['a\nb', 'c']],
  ['"a\r\nb"', ['a\nb']],
  ['a\nb', ['a']],
  ['"a"\nb', ['a']],
  ['a\r\nb', ['a']],
  ['a\r', ['a']],
  ['a\rb', ['a\rb']],
  ['\n\na,b', ['a', 'b']],
])('reads the record of %j', (text, fields) => {
  expect(readCsvRecord(text)).toEqual(fields);
});

const bare = 'bare " in non-quoted-field';
const quoted = 'extraneous or missing " in quoted-field';

it.each([
  ['\n', 'EOF'],
  ['', 'EOF'],
  ['a"b', `parse error on line 1, column 2: ${bare}`],
  ['x,y"z', `parse error on line 1, column 4: ${bare}`],
  ['a,b""', `parse error on line 1, column 4: ${bare}`],
  ['é"', `parse error on line 1, column 3: ${bare}`],
  ['\na"', `parse error on line 2, column 2: ${bare}`],
  ['"a\nb",c"', `record on line 1; parse error on line 2, column 5: ${bare}`],
  ['"a', `parse error on line 1, column 3: ${quoted}`],
  ['"a\n', `parse error on line 1, column 4: ${quoted}`],
  ['"a\nb', `record on line 1; parse error on line 2, column 2: ${quoted}`],
  ['"a""', `parse error on line 1, column 5: ${quoted}`],
  ['"""', `parse error on line 1, column 4: ${quoted}`],
  ['"a"",b', `parse error on line 1, column 7: ${quoted}`],
  ['"a\nb""', `record on line 1; parse error on line 2, column 4: ${quoted}`],
  ['"a"b', `parse error on line 1, column 3: ${quoted}`],
  ['"a" ,b', `parse error on line 1, column 3: ${quoted}`],
  ['a,"b"c', `parse error on line 1, column 5: ${quoted}`],
  ['"a\nb"c', `record on line 1; parse error on line 2, column 2: ${quoted}`],
  ['"a\n"c', `record on line 1; parse error on line 2, column 1: ${quoted}`],
])('refuses %j', (text, message) => {
  expect(() => readCsvRecord(text)).toThrow(new ParseError(message));
});

it.each<[readonly string[], string]>([
  [[], ''],
  [[''], ''],
  [['a', 'b c'], 'a,b c'],
  [['a,b', 'c'], '"a,b",c'],
  [['a"b'], '"a""b"'],
  [['a\nb', 'c\rd'], '"a\nb","c\rd"'],
  [[' a', 'a '], '" a",a '],
  [['\\.', '\\'], '"\\.",\\'],
])('writes %j', (fields, text) => {
  expect(writeCsvRecord(fields)).toBe(text);
});
