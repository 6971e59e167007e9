import { messageOf } from '@apiserver/apimachinery/errors';
import { parseFieldSelector, parseLabelSelector } from '@apiserver/apimachinery/selectors';
import { formatDuration, parseDuration, Quantity } from '@apiserver/apimachinery/values';
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
  Record<string, { canonical(text: string): string; readonly texts: readonly [string, ...string[]] }>
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
  fieldSelector: {
    canonical: (text) => parseFieldSelector(text).toString(),
    texts: ['a=1', 'a==1,b!=2', 'metadata.name=x', 'a=\\,', 'a=\\=', 'a=\\\\', '', 'a', 'a=b=c', 'a!=', ',a=1'],
  },
};
const NAMES = Object.keys(TYPES) as [string, ...string[]];

/** Large exponents, for which upstream works for minutes. */
const ENDLESS = /[eE][+-]?\d{4}/;

function randomCase(random: Random): ValueCase {
  const type = random.of(NAMES);
  const text = random.of(TYPES[type]?.texts ?? ['']);
  const changed = random.chance(0.9) ? mutated(random, text) : text;
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
