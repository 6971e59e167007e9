import type { Schema, StructSchema } from '@apiserver/apimachinery/schema';
import type { Random } from '../../watch/random.ts';
import { randomValue } from '../random-value.ts';

/**
 * Values whose form in managed fields is the same after each kind of write. A patch stores raw JSON once more with
 * escapes, and a scale sorts numeric keys as texts.
 */
export const PLAIN_VALUES = {
  words: ['a', 'b', 'c', 'x-1', '', '0', '10', 'é'],
  numbers: [-1, 0, 1, 2, 5, 8],
} as const;
const SOME = { fields: 0.3, ...PLAIN_VALUES };

/** Probabilities of changes. */
export interface Variation {
  /** Probability that a member or an item is left out. */
  readonly dropped: number;
  /** Probability that a value is another one. */
  readonly changed: number;
  /** Probability that a member or an item is added. */
  readonly added: number;
}

/** A copy of a value of a schema with random changes, as another writer of the same object has it. */
export function variedValue(random: Random, schema: Schema, value: unknown, variation: Variation): unknown {
  if (random.chance(variation.changed)) return randomValue(random, schema, PLAIN_VALUES, 1);
  if (Array.isArray(value)) return schema.type === 'list' ? variedItems(random, schema, value, variation) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (schema.type === 'map') return variedMembers(random, () => schema.element, value, variation);
  if (schema.type !== 'struct') return value;
  const fields = new Map(fieldsOf(schema));
  const varied = variedMembers(random, (name) => fields.get(name), value, variation);
  if (fields.size > 0 && random.chance(variation.added)) {
    const [name, type] = random.of([...fields] as [[string, Schema]]);
    if (!(name in varied) && type.type !== 'bytes') varied[name] = randomValue(random, type, SOME, 1);
  }
  return varied;
}

/** The fields of a struct, with those of embedded ones, and without those that name its kind. */
function fieldsOf(schema: StructSchema): [string, Schema][] {
  return schema.fields.flatMap(({ name, inline, schema: type }): [string, Schema][] => {
    if (inline) return fieldsOf(type as StructSchema);
    return ['kind', 'apiVersion', 'metadata'].includes(name) ? [] : [[name, type]];
  });
}

function variedMembers(
  random: Random,
  schemaOf: (name: string) => Schema | undefined,
  members: object,
  variation: Variation,
): Record<string, unknown> {
  const varied: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(members)) {
    const schema = schemaOf(name);
    if (random.chance(variation.dropped)) continue;
    const value = schema === undefined ? member : variedValue(random, schema, member, variation);
    // Upstream stores empty bytes, and reads them as absent: it writes an unchanged object once more.
    if (schema?.type !== 'bytes' || value !== '') varied[name] = value;
  }
  return varied;
}

function variedItems(
  random: Random,
  schema: Schema & { readonly type: 'list' },
  items: readonly unknown[],
  variation: Variation,
): unknown[] {
  const varied = items
    .filter(() => !random.chance(variation.dropped))
    .map((item) => variedValue(random, schema.element, item, variation));
  if (random.chance(variation.added)) varied.push(randomValue(random, schema.element, SOME, 1));
  if (random.chance(variation.changed)) varied.reverse();
  return varied;
}
