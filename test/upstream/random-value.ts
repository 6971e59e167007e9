import type { FieldSchema, Schema, StructSchema } from '@apiserver/apimachinery/schema';
import type { Random } from '../watch/random.ts';

/** Few words: lists and maps of two writers meet in the same keys. */
const WORDS = ['a', 'b', 'c', 'x-1', '', '0', '10', 'é<&>'] as const;
/** The member of raw values. */
export const RAW_KEY = 'x';
const NUMBERS = [0, 1, 2, 80, 443, -1, 2_147_483_647] as const;
const QUANTITIES = ['1', '0', '100m', '1Gi', '0.5', '1e3', '1024Mi', '1000m'] as const;
const TIMES = ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000001Z', '1970-01-01T00:00:00Z'] as const;
/** Values that most types refuse. */
const ODD = [null, 1, 'q', true, {}, [], [1], ['a'], [{}], { a: 'b' }, 1.5, -7, 2 ** 40, [null], 1e20] as const;
/** Depth at which optional fields are left out. */
const DEPTH = 6;

/** Shares of a random value that are not what its schema wants. */
export interface RandomValueOptions {
  /** Probability of a value of any other type. Default 0. */
  readonly odd?: number;
  /** Probability of a field. Default 0.2; at the top of an object it is doubled. */
  readonly fields?: number;
  /** Probability of a field that the schema lacks. Default 0. */
  readonly unknown?: number;
  /** The texts of values and the keys of maps. */
  readonly words?: readonly [string, ...string[]];
  readonly numbers?: readonly [number, ...number[]];
}

/** A value of a schema, or at times another. */
export function randomValue(random: Random, schema: Schema, options: RandomValueOptions = {}, depth = 0): unknown {
  if (random.chance(options.odd ?? 0)) return random.of(ODD);
  const { words = WORDS, numbers = NUMBERS } = options;
  switch (schema.type) {
    case 'string':
      return random.of(words);
    case 'bool':
      return random.chance(0.5);
    case 'int32':
    case 'int64':
      return random.of(numbers);
    case 'float64':
      return random.of([0, 1.5, -2]);
    case 'bytes':
      return random.of(['', 'YQ==', 'AAEC']);
    case 'list':
      return times(random, () => randomValue(random, schema.element, options, depth + 1));
    case 'map':
      return Object.fromEntries(
        times(random, () => [random.of(words), randomValue(random, schema.element, options, depth + 1)]),
      );
    case 'struct':
      return randomStruct(random, schema, options, depth);
    case 'quantity':
      return random.of(QUANTITIES);
    case 'intOrString':
      return random.of([1, 80, 'http', '50%']);
    case 'time':
      return TIMES[0];
    case 'microTime':
      return options.odd ? random.of(TIMES) : TIMES[1];
    case 'duration':
      return random.of(['1s', '1h0m0s']);
    case 'fieldsV1':
      return {};
    default:
      // Upstream keeps the text of raw values, and sorts their members where it has merged them.
      return { [RAW_KEY]: random.of(words) };
  }
}

function randomStruct(random: Random, schema: StructSchema, options: RandomValueOptions, depth: number): object {
  const { fields = 0.2, unknown = 0 } = options;
  const members = schema.fields.flatMap((field): [string, unknown][] => {
    // Protobuf leaves out the kinds of embedded objects.
    if (field.inline && depth > 0 && isTypeMeta(field.schema)) return [];
    if (field.inline) return Object.entries(randomStruct(random, field.schema as StructSchema, options, depth));
    if (!random.chance(probabilityOf(field, fields, depth))) return [];
    const value = randomValue(random, field.schema, options, depth + 1);
    // Upstream stores empty bytes, and reads them as absent: it writes an unchanged object once more.
    return field.schema.type === 'bytes' && value === '' ? [] : [[field.name, value]];
  });
  if (random.chance(unknown)) members.push([random.of(['unknown', 'Kind', 'Name', 'x']), random.of(ODD)]);
  return Object.fromEntries(members);
}

function isTypeMeta(schema: Schema): boolean {
  return schema.type === 'struct' && schema.name.endsWith('.TypeMeta');
}

function probabilityOf({ optional, name, patchMergeKey }: FieldSchema, fields: number, depth: number): number {
  if (name === 'name' || name === 'containerPort' || name === 'port') return 0.9;
  if (depth > DEPTH) return optional ? 0 : fields;
  if (patchMergeKey !== undefined || depth === 0) return fields * 2;
  return optional ? fields : Math.min(1, fields * 3);
}

/** Up to three values. */
export function times<T>(random: Random, make: () => T): T[] {
  return Array.from({ length: random.below(4) }, make);
}
