import { formatGroupVersion } from '@apiserver/apimachinery';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { Random } from '../watch/random.ts';
import { randomValue } from './random-value.ts';

/** Metadata of an object `a`, with few words: writers meet in the same keys. */
function randomMetadata(random: Random): object {
  const few = () =>
    Object.fromEntries(['a', 'b'].filter(() => random.chance(0.5)).map((key) => [key, random.of(['1', '2'])]));
  return {
    name: 'a',
    ...(random.chance(0.4) && { labels: few() }),
    ...(random.chance(0.3) && { annotations: few() }),
    ...(random.chance(0.2) && { finalizers: random.of([['x/y'], ['x/y', 'z/w'], []]) }),
    ...(random.chance(0.1) && {
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: random.of(['p', 'q']), uid: random.of(['1', '2']) }],
    }),
  };
}

/** An object of a kind; at times with values of other types, or unknown fields. */
export function randomObject(random: Random, schema: KindSchema): object {
  const options = { odd: random.chance(0.2) ? 0.03 : 0, unknown: 0.01 };
  return {
    ...(randomValue(random, schema.schema, options) as object),
    apiVersion: formatGroupVersion(schema.gvk),
    kind: schema.gvk.kind,
    metadata: randomMetadata(random),
  };
}
