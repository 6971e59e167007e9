import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atOnce } from '../../clock/at-once.js';
import { encodeYamlSteps } from '../yaml/encode-yaml.js';
import { parseJson, parseJsonSteps, parseJsonValue } from './parse-json.js';
import { outlineOrValue } from './type-outline.js';

it('steps yield the same value as one call', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const bytes = Buffer.from(text);
      expect(atOnce(parseJsonSteps(bytes))).toEqual(parseJsonValue(bytes));
    }),
  );
});

it('pauses every few thousand values, as does the writer of YAML', () => {
  const value = { map: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, {}])), list: [[1], [2]] };
  const countOf = (steps: Generator<void>) => [...steps].length;
  const counts = [parseJsonSteps(Buffer.from(JSON.stringify(value))), encodeYamlSteps(value)].map(countOf);
  expect(counts.every((count) => count > 4)).toBe(true);
});

it.each([
  ['a\\', String.raw`"a\n"`],
  ['a\\', String.raw`"a\""`],
  ['\\', String.raw`"\u0061"`],
  ['\\n', String.raw`"\nb"`],
  ['k:{\\"na', String.raw`"k:{\"na\""`],
  ['\\\\', String.raw`"\\\n"`],
])('has the names of the text, also after an object with the name %j', (expected, name) => {
  const object = (written: string) => Buffer.from(`[{"first":1,${written} : {"second":${written.length}}}]`);
  JSON.parse(object(JSON.stringify(expected)).toString());
  JSON.parse(`[{"first":1,${JSON.stringify(expected)} : 1}]`);
  expect(parseJsonValue(object(name))).toEqual([{ first: 1, [JSON.parse(name)]: { second: name.length } }]);
});

it('leaves texts to JSON.parse unless their names have backslashes', () => {
  const isOdd = (text: string) => parseJson(Buffer.from(text)).scan.odd;
  const texts = [
    String.raw`{"a\"":1}`,
    String.raw`{"a\\" :1}`,
    String.raw`{"\u005C":"x"}`,
    String.raw`{"x":"\\"}`,
    String.raw`{"x":["\\",":"]}`,
  ];
  expect(texts.map(isOdd)).toEqual([false, true, true, false, false]);
});

it('has the kind of a text whose names are confused', () => {
  JSON.parse(String.raw`{"outlined":1,"\\u00":1}`);
  const parsed = parseJson(Buffer.from(String.raw`{"outlined":1,"\u006bind":"Pod"}`));
  expect([parsed.scan.odd, outlineOrValue(parsed)]).toEqual([true, { kind: 'Pod' }]);
});
