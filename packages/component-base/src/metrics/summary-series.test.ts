import { expect, it } from 'vitest';
import { MetricsRegistry } from './metrics-registry.js';
import { SummarySeries } from './summary-series.js';

const HOUR = 3_600_000;
const QUANTILES = [0.5, 0.9, 0.99];

/** Values that differ by 1 % at most count as equal. */
const near = (value: number) => expect.closeTo(value, Math.max(1, -Math.floor(Math.log10(value / 50))));

it.each<[string, readonly number[], readonly number[]]>([
  ['one value', [0.02], [0.02, 0.02, 0.02]],
  ['a hundred values in disorder', Array.from({ length: 100 }, (_, i) => ((i * 37) % 100) + 1), [50, 90, 99]],
  ['many magnitudes', [1e-6, 1e-3, 1, 10, 1000], [1, 1000, 1000]],
])('finds the quantiles of %s', (_, values, expected) => {
  const series = new SummarySeries(5 * HOUR);
  for (const value of values) series.observe(value, 0);
  const found = series.quantiles(QUANTILES, 0);
  for (const [i, value] of expected.entries()) expect(Math.abs((found[i] ?? 0) / value - 1)).toBeLessThan(0.0101);
  expect([series.count, series.sum]).toEqual([values.length, near(values.reduce((a, b) => a + b))]);
});

it('counts zero as the lowest value', () => {
  const series = new SummarySeries(HOUR);
  for (const value of [0, 0, 0, 5]) series.observe(value, 0);
  expect(series.quantiles([0.5, 0.75], 0)).toEqual([0, 0]);
});

it('forgets observations part by part, and keeps count and sum', () => {
  const series = new SummarySeries(5 * HOUR);
  expect(series.quantiles([0.5], 0)).toEqual([Number.NaN]);
  series.observe(1, 0);
  series.observe(100, HOUR);
  series.observe(100, HOUR);
  const medianAfter = (hours: number) => Math.round(series.quantiles([0.2], hours * HOUR)[0] ?? Number.NaN);
  expect([2, 4.9, 5, 5.9, 6].map(medianAfter)).toEqual([1, 1, 100, 100, Number.NaN]);
  series.observe(7, 20 * HOUR);
  expect([medianAfter(20), series.count, series.sum]).toEqual([7, 4, 208]);
});

it('is exposed as upstream exposes it', async () => {
  const registry = new MetricsRegistry();
  const options = { quantiles: QUANTILES, maxAge: HOUR, now: () => 0 };
  const family = registry.summary({ name: 'took', help: 'Time it took.', labels: ['what'] }, options);
  const series = family.with({ what: 'a' });
  const lines = async () => (await registry.expose()).text.split('\n').filter((line) => line.includes('took'));
  expect((await lines()).slice(2)).toEqual([
    'took{what="a",quantile="0.5"} NaN',
    'took{what="a",quantile="0.9"} NaN',
    'took{what="a",quantile="0.99"} NaN',
    'took_sum{what="a"} 0',
    'took_count{what="a"} 0',
  ]);
  series.observe(0, 0);
  expect(await lines()).toEqual([
    '# HELP took [ALPHA] Time it took.',
    '# TYPE took summary',
    ...QUANTILES.map((quantile) => `took{what="a",quantile="${quantile}"} 0`),
    'took_sum{what="a"} 0',
    'took_count{what="a"} 1',
  ]);
});
