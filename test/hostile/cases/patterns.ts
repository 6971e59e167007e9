import { type CustomKind, creationOf, definitionOf } from '../custom-kind.ts';
import { type HostileCase, MIB } from '../hostile-case.ts';

/** A kind whose objects have a text and a list of texts, which match one pattern. */
function matching(pattern: string, kind: string): CustomKind {
  const text = { type: 'string', pattern };
  const texts = { type: 'array', items: text };
  return { group: 'hostile.example.com', kind, schema: { properties: { text, texts } } };
}

const letters = (length: number, seed: number) =>
  Array.from({ length }, (_, i) => 'ab'[(Math.imul(i + seed, 0x9e3779b1) >>> 15) & 1]).join('');

const CASES: Readonly<Record<string, readonly [pattern: string, texts: () => object]>> = {
  'a repetition in a repetition': ['(?:a{1,1000}){1,1}$', () => ({ text: `${'a'.repeat(100_000)}!` })],
  'more states than can be kept': ['^[ab]*a[ab]{20}$', () => ({ text: letters(1_200_000, 1) })],
  'many texts with such states': [
    '[ab]*a[ab]{300}$',
    () => ({ texts: Array.from({ length: 3_000 }, (_, i) => letters(400, 1_000 * i)) }),
  ],
  'many short texts': ['^[a-z]([-a-z0-9]*[a-z0-9])?$', () => ({ texts: Array(90_000).fill('a-name') })],
  'one long text': ['^[ab]*$', () => ({ text: letters(1_400_000, 1) })],
};

/** Texts that custom resources match with patterns. The first request of a case comes before its kind is served. */
export const PATTERN_CASES: readonly HostileCase[] = Object.entries(CASES).map(([name, [pattern, texts]], i) => {
  const kind = matching(pattern, `Pattern${i}`);
  return {
    name,
    before: [definitionOf(kind)],
    request: (object: string) => creationOf(kind, object, texts()),
    // A refusal contains the refused value.
    maxResponse: 4 * MIB,
  };
});
