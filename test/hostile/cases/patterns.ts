import { type HostileCase, MIB, sending } from '../hostile-case.ts';

const GROUP = 'hostile.example.com';

/** A definition whose objects have texts and lists of texts, which match one pattern. */
function definition(plural: string, pattern: string) {
  const text = { type: 'string', pattern };
  const openAPIV3Schema = {
    type: 'object',
    properties: { text, texts: { type: 'array', items: text } },
  };
  return sending(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    'json',
    JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Cluster',
        names: { plural, kind: `K${plural}` },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    }),
  );
}

const letters = (length: number, seed: number) =>
  Array.from({ length }, (_, i) => 'ab'[(Math.imul(i + seed, 0x9e3779b1) >>> 15) & 1]).join('');

const CASES: Readonly<Record<string, readonly [pattern: string, rest: () => object]>> = {
  'a repetition in a repetition': ['(?:a{1,1000}){1,1}$', () => ({ text: `${'a'.repeat(100_000)}!` })],
  'more states than can be kept': ['^[ab]*a[ab]{20}$', () => ({ text: letters(1_200_000, 1) })],
  'many texts with such states': [
    '[ab]*a[ab]{300}$',
    () => ({ texts: Array.from({ length: 3_000 }, (_, i) => letters(400, 1_000 * i)) }),
  ],
  'many short texts': ['^[a-z]([-a-z0-9]*[a-z0-9])?$', () => ({ texts: Array(90_000).fill('a-name') })],
  'one long text': ['^[ab]*$', () => ({ text: letters(1_400_000, 1) })],
};

/** Texts that custom resources match with patterns. The first request of a case waits for the definition in vain. */
export const PATTERN_CASES: readonly HostileCase[] = Object.entries(CASES).map(([name, [pattern, rest]], i) => {
  const plural = `patterns${i}`;
  return {
    name,
    before: [definition(plural, pattern)],
    request: (object: string) =>
      sending(
        'POST',
        `/apis/${GROUP}/v1/${plural}`,
        'json',
        JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: `K${plural}`, metadata: { name: object }, ...rest() }),
      ),
    // A refusal contains the refused value.
    maxResponse: 4 * MIB,
  };
});
