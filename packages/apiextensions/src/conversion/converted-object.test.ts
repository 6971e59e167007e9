import { atOnce } from '@apiserver/apimachinery/clock';
import { expect, it } from 'vitest';
import { restoredMetadataSteps } from './converted-object.js';

const original = { apiVersion: 'a.example.com/v1', kind: 'A', metadata: { name: 'a' } };
const labels = (value: string) =>
  Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${String(i).padStart(4, '0')}`, value]));

it('takes over many labels in steps', () => {
  const steps = restoredMetadataSteps(original, { metadata: { labels: labels('v') } });
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count++;
  expect(step.value).toEqual({ value: { name: 'a', labels: labels('v') } });
  expect(count).toBeGreaterThan(8);
});

it('sorts many labels in steps', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${(i * 7_919) % 20_000}`, 'v']));
  const steps = restoredMetadataSteps(original, { metadata: { labels: many } });
  let count = 0;
  for (let step = steps.next(); !step.done; step = steps.next()) count++;
  // 20 to copy them, 20 to check them, and others to sort them.
  expect(count).toBeGreaterThan(45);
});

it('reports the first of many wrong labels, and how many there are', () => {
  const wrong = { ...labels('v'), ...Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k ${i}`, 'v'])) };
  const restored = atOnce(restoredMetadataSteps(original, { metadata: { labels: wrong } }));
  const { fault = '' } = restored as { readonly fault?: string };
  expect(fault.startsWith('[metadata.labels: Invalid value: "k 0": name part must consist of')).toBe(true);
  expect(fault).toMatch(/, and \d+ more errors\]$/);
  expect(fault.length).toBeLessThan(300_000);
});

it.each([
  ['', 'v', undefined],
  ['/', 'v', '[metadata.annotation: Invalid value: "/k 0": prefix part must be non-empty'],
  ['', 'v'.repeat(20), 'metadata.annotation: Too long: may not be more than 262144 bytes'],
])('checks many annotations in steps: %j, %j', (prefix, value, fault) => {
  const annotations = Object.fromEntries(
    Array.from({ length: 12_000 }, (_, i) => [`${prefix}k${prefix && ' '}${i}`, value]),
  );
  const steps = restoredMetadataSteps(original, { metadata: { annotations } });
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count++;
  expect(count).toBeGreaterThan(24);
  const restored = step.value as { readonly fault?: string };
  if (fault === undefined) expect(restored).toEqual({ value: { name: 'a', annotations } });
  else expect(restored.fault?.startsWith(fault)).toBe(true);
});
