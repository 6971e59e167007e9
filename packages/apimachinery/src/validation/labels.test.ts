import { expect, it } from 'vitest';
import { collectFieldErrors } from '../field/collect-field-errors.js';
import { FieldPath } from '../field/path.js';
import { validateLabels } from './labels.js';

const PATH = FieldPath.of('metadata', 'labels');
const many = (value: string) => Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, value]));

/** Labels that count how often they are read. */
function counted(labels: Readonly<Record<string, string>>) {
  let reads = 0;
  const get = (target: Readonly<Record<string, string>>, key: string) => {
    reads++;
    return target[key];
  };
  return { labels: new Proxy(labels, { get: (target, key) => get(target, String(key)) }), reads: () => reads };
}

it('checks many valid labels once in a validation, and again in the next one', () => {
  const { labels, reads } = counted(many('v'));
  const validate = () => [...validateLabels(labels, PATH), ...validateLabels(labels, PATH)];
  expect(collectFieldErrors(validate)).toEqual([]);
  expect(reads()).toBeLessThan(3_100);
  expect(collectFieldErrors(validate)).toEqual([]);
  expect(reads()).toBeGreaterThan(4_000);
});

it('reports the faults of many labels each time', () => {
  const labels = { ...many('v'), last: '-' };
  const validate = () => [...validateLabels(labels, PATH), ...validateLabels(labels, PATH)];
  expect(collectFieldErrors(validate)).toHaveLength(2);
  expect(validate()).toHaveLength(2);
});
