import { expect, it } from 'vitest';
import { MetricsRegistry } from './metrics-registry.js';
import { NativeBuckets } from './native-buckets.js';
import { protobufExposition } from './protobuf-exposition.js';
import { textExposition } from './text-exposition.js';

const bucketsOf = (...values: number[]) => {
  const buckets = new NativeBuckets();
  for (const value of values) buckets.observe(value, 1);
  return buckets.read();
};

it('sorts values into buckets that grow by an eighth of a power of two', () => {
  expect(bucketsOf(1, 1.05, 1, 1.2, 4, 0, -2, Number.NaN)).toEqual({
    schema: 3,
    zeroThreshold: 2 ** -128,
    zeroCount: 1,
    negative: { spans: [{ offset: 8, length: 1 }], deltas: [1] },
    positive: {
      spans: [
        { offset: 0, length: 4 },
        { offset: 12, length: 1 },
      ],
      deltas: [2, -1, -1, 1, 0],
    },
  });
});

it('takes infinite and tiny values', () => {
  const { positive, negative, zeroCount } = bucketsOf(Infinity, Number.MAX_VALUE, -Infinity, Number.MIN_VALUE);
  expect([positive, negative, zeroCount]).toEqual([
    { spans: [{ offset: 8192, length: 2 }], deltas: [1, 0] },
    { spans: [{ offset: 8193, length: 1 }], deltas: [1] },
    1,
  ]);
});

it('merges buckets beyond 160, and begins again when it is cleared', () => {
  const buckets = new NativeBuckets();
  for (let at = 0; at < 161; at++) buckets.observe(1.02 * 2 ** (at / 8), 2);
  const { schema, positive } = buckets.read();
  expect([schema, positive.spans, positive.deltas[0]]).toEqual([2, [{ offset: 1, length: 81 }], 4]);
  for (let at = -1000; at < 1000; at++) for (const sign of [1, -1]) buckets.observe(sign * 2 ** at, 1);
  expect(buckets.read().schema).toBe(-4);
  buckets.clear();
  expect(buckets.read()).toEqual(bucketsOf());
});

it('shows native histograms in protobuf, beside the others, and keeps the text', async () => {
  const exposed = async (nativeHistograms: boolean, name: string) => {
    const registry = new MetricsRegistry({ withProcess: false, withOwn: false });
    registry.configure({ showHidden: false, disabled: new Set(), allowedValues: new Map(), nativeHistograms });
    registry.histogram({ name, help: 'H.', labels: [] }, [1]).with({}).observe(1);
    const families = await registry.gather();
    const bytes = Buffer.from(protobufExposition(families)).toString('hex');
    return { text: (await textExposition(families)).split('\n').slice(2), bytes };
  };
  const [native, classic] = [await exposed(true, 'h'), await exposed(false, 'h')];
  expect(native.text).toEqual(classic.text);
  const fields = '280631000000000000f03738006204080010016802';
  expect([native.bytes.endsWith(fields), classic.bytes.includes(fields)]).toEqual([true, false]);
  const unbounded = await exposed(true, 'apiserver_cel_evaluation_duration_seconds');
  expect(unbounded.text).toEqual([
    ...['apiserver_cel_evaluation_duration_seconds_bucket{le="+Inf"} 1'],
    ...['apiserver_cel_evaluation_duration_seconds_sum 1', 'apiserver_cel_evaluation_duration_seconds_count 1', ''],
  ]);
});
