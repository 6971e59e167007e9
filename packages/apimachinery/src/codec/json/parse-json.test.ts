import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atOnce } from '../../clock/at-once.js';
import { encodeYamlSteps } from '../yaml/encode-yaml.js';
import { parseJsonSteps, parseJsonValue } from './parse-json.js';

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
