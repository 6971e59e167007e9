import { messageOf } from '@apiserver/apimachinery/errors';
import { parseFieldSelector, parseLabelSelector } from '@apiserver/apimachinery/selectors';
import { formatDuration, parseDuration, Quantity } from '@apiserver/apimachinery/values';
import { parseShardSelector } from '@apiserver/registry-store/testing';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { mutated } from './mutated-text.ts';
import { describeUpstream } from './upstream-program.ts';

interface ValueCase {
  readonly type: string;
  readonly text: string;
}

interface ValueAnswer {
  readonly text?: string;
  readonly error?: string;
}

/** Types with their canonical forms and texts to begin with. */
const TYPES: Readonly<
  Record<
    string,
    {
      canonical(text: string): string;
      readonly texts: readonly [string, ...string[]];
      /** Other texts to begin with. */
      random?(random: Random): string;
    }
  >
> = {
  quantity: {
    canonical: (text) => Quantity.parse(text).toString(),
    texts: [
      '1',
      '100m',
      '1.5Gi',
      '12e6',
      '1E3',
      '-0.5',
      '+1Ki',
      '1000000000000',
      '0.000001',
      '9223372036854775807',
      '1n',
      '.5',
      '5.',
      '1e-7',
      '123456789u',
    ],
  },
  duration: {
    canonical: (text) => formatDuration(parseDuration(text)),
    texts: [
      '1h2m3s',
      '1.5h',
      '-1s',
      '100ms',
      '1us',
      '1µs',
      '1ns',
      '0',
      '9223372036854775807ns',
      '2562047h',
      '.5s',
      '1.s',
    ],
  },
  labelSelector: {
    canonical: (text) => parseLabelSelector(text).toString(),
    texts: [
      'a=1',
      'a==1,b!=2',
      'a in (1,2),c',
      'a notin (1,)',
      '!a',
      'x.y/z=1',
      'a>1,a<3',
      'a in ()',
      'a=',
      'a = b , c',
      'in in (in)',
      'a exists',
    ],
  },
  shardSelector: {
    canonical: (text) => {
      const { field, text: shown, matches } = parseShardSelector(text);
      const value = (at: number) => (field === 'uid' ? `uid-${at}-é` : `ns-${at}`);
      return [shown, ...Array.from({ length: 20 }, (_, at) => matches(value(at)))].join(' ');
    },
    texts: [
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
      'shardRange(object.metadata.namespace, "0x4000000000000000", "0x10000000000000000")',
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000') || shardRange(object.metadata.uid, '0x1000000000000000', '0x2000000000000000')",
      "a.shardRange(.object.metadata.uid, 1, b'x') || f(x) || [1] || {} || x.y || null",
      "shardRange(object.metadata[0], '0xa', '0x')",
      'has(a.b) || x{} || [1].map(x, x) || shardRange(1u, 2.5, null, true)',
    ],
    random: randomShards,
  },
  fieldSelector: {
    canonical: (text) => parseFieldSelector(text).toString(),
    texts: ['a=1', 'a==1,b!=2', 'metadata.name=x', 'a=\\,', 'a=\\=', 'a=\\\\', '', 'a', 'a=b=c', 'a!=', ',a=1'],
  },
};
const NAMES = Object.keys(TYPES) as [string, ...string[]];

/** Ranges of hashes, most of them well-formed. */
function randomShards(random: Random): string {
  const digits = () =>
    Array.from({ length: random.chance(0.98) ? 16 : random.below(19) }, () => random.below(16).toString(16));
  const bound = () => (random.chance(0.1) ? '0x10000000000000000' : `0x${digits().join('')}`);
  const path = random.of(['object.metadata.uid', 'object.metadata.namespace']);
  const range = () => {
    const bounds = [bound(), bound()];
    if (random.chance(0.95)) bounds.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return `shardRange(${path}, '${bounds.join("', '")}')`;
  };
  return Array.from({ length: 1 + random.below(6) }, range).join(' || ');
}

/** Large exponents, for which upstream works for minutes. */
const ENDLESS = /[eE][+-]?\d{4}/;

function randomCase(random: Random): ValueCase {
  const type = random.of(NAMES);
  const { texts = [''], random: made } = TYPES[type] ?? {};
  const text =
    made !== undefined && random.chance(0.7) ? made(random) : random.of(texts as readonly [string, ...string[]]);
  const changed = random.chance(made === undefined ? 0.9 : 0.5) ? mutated(random, text) : text;
  return { type, text: ENDLESS.test(changed) ? text : changed };
}

function ours({ type, text }: ValueCase): ValueAnswer {
  try {
    const canonical = TYPES[type]?.canonical(text) ?? '';
    return canonical === '' ? {} : { text: canonical };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

describeUpstream('values', (upstream) => {
  it('have upstream’s canonical forms and errors', () => compareCases(upstream(), { area: 'value', randomCase, ours }));
});
