import { MetricsRegistry, protobufExposition } from '@apiserver/component-base/metrics';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { describeUpstream } from './upstream-program.ts';

interface HistogramCase {
  /** As Go prints them. */
  readonly values: readonly string[];
  readonly bounds: readonly number[];
}

const ODD = [
  '0',
  '-0',
  '1',
  '2',
  '0.5',
  '1e308',
  '5e-324',
  '2.9e-39',
  '-1',
  '-2.5',
  '+Inf',
  '-Inf',
  '0.7071067811865475',
] as const;

function randomValue(random: Random, spread: number): string {
  if (random.chance(0.1)) return random.of(ODD);
  const value = 2 ** ((random.next() - 0.5) * spread);
  return String(random.chance(0.15) ? -value : value);
}

/** A few values, or this many different ones that buckets are merged. */
function randomCase(random: Random): HistogramCase {
  const spread = random.of([2, 10, 40, 200, 2000]);
  const count = random.chance(0.2) ? 300 + random.below(700) : random.below(30);
  return {
    values: Array.from({ length: count }, () => randomValue(random, spread)),
    bounds: random.of([[0.5, 1, 10], [1], []]),
  };
}

async function ours({ values, bounds }: HistogramCase): Promise<string> {
  const registry = new MetricsRegistry({ withProcess: false, withOwn: false });
  registry.configure({ showHidden: false, disabled: new Set(), allowedValues: new Map(), nativeHistograms: true });
  const series = registry.histogram({ name: 'h', help: 'H.', labels: [] }, bounds).with({});
  for (const value of values) series.observe(Number(value.replace('Inf', 'Infinity')));
  const bytes = Buffer.from(protobufExposition(await registry.gather()));
  // Behind its length.
  return bytes.subarray(bytes.findIndex((byte) => byte < 0x80) + 1).toString('base64');
}

describeUpstream('histograms', (upstream) => {
  it('have upstream’s native form', () =>
    compareCases<HistogramCase, string>(upstream(), { area: 'histogram', randomCase, ours, mostAsked: 2 }));
});
