import type { KindSchema, Schema, StructSchema } from '@apiserver/apimachinery/schema';
import type { Random } from '../watch/random.ts';
import { RAW_KEY, randomValue, times } from './random-value.ts';

/** A patch of any type. */
export interface RandomPatch {
  readonly type: string;
  readonly body: unknown;
}

/** A patch of an object of a schema. `object` makes one of the kind. */
export function randomPatch(random: Random, { schema }: KindSchema, object: () => object): RandomPatch {
  const kind = random.next();
  if (kind < 0.35) return { type: 'application/apply-patch+yaml', body: object() };
  if (kind < 0.75) return { type: 'application/strategic-merge-patch+json', body: strategicPatch(random, schema) };
  if (kind < 0.85) return { type: 'application/merge-patch+json', body: strategicPatch(random, schema) };
  return { type: 'application/json-patch+json', body: times(random, () => randomOperation(random, schema)) };
}

const KEYS = ['a', 'b', 'c', '0', '10', ''] as const;

/** A part of an object with directives, nulls and lists that are to be merged. */
function strategicPatch(random: Random, schema: Schema, depth = 0): unknown {
  if (random.chance(0.02)) return null;
  if (schema.type === 'struct') return structPatch(random, schema, depth);
  if (schema.type === 'map') {
    return withDirectives(
      random,
      Object.fromEntries(times(random, () => [random.of(KEYS), strategicPatch(random, schema.element, depth + 1)])),
    );
  }
  if (schema.type === 'list') return times(random, () => strategicPatch(random, schema.element, depth + 1));
  return randomValue(random, schema, { odd: 0.01 });
}

function structPatch(random: Random, schema: StructSchema, depth: number): object {
  const members: [string, unknown][] = [];
  for (const field of schema.fields) {
    const { name, inline, schema: type, patchMergeKey } = field;
    if (inline) {
      members.push(...Object.entries(structPatch(random, type as StructSchema, depth)));
      continue;
    }
    if (name === 'kind' || name === 'apiVersion' || name === 'managedFields') continue;
    const isKey = name === 'name' || name === 'type' || name === 'containerPort' || name === 'port';
    if (!random.chance(isKey && depth > 1 ? 0.85 : depth === 0 ? 0.6 : 0.2)) continue;
    if (name === 'name' && depth === 1 && random.chance(0.95)) continue;
    members.push([name, strategicPatch(random, type, depth + 1)]);
    if (type.type !== 'list' || !random.chance(0.3)) continue;
    members.push([`$setElementOrder/${name}`, elementOrder(random, patchMergeKey)]);
  }
  for (const field of schema.fields) {
    if (field.schema.type === 'list' && random.chance(0.03) && !members.some(([name]) => name.endsWith(field.name))) {
      members.push([`$deleteFromPrimitiveList/${field.name}`, times(random, () => random.of(KEYS))]);
    }
  }
  if (random.chance(0.5)) members.reverse();
  return withDirectives(random, Object.fromEntries(members));
}

function elementOrder(random: Random, key: string | undefined): unknown[] {
  return times(random, () => {
    if (key === undefined || random.chance(0.05)) return random.of(KEYS);
    return { [key]: /ort$/.test(key) ? random.of([1, 2, 80, 443]) : random.of(KEYS) };
  });
}

function withDirectives(random: Random, patch: object): object {
  if (random.chance(0.05)) return { $patch: random.of(['replace', 'delete', 'merge', 'nonsense']), ...patch };
  if (random.chance(0.04)) {
    const keys = [...Object.keys(patch).filter((key) => !key.startsWith('$')), ...times(random, () => random.of(KEYS))];
    return { $retainKeys: random.chance(0.9) ? keys : random.of([null, 'x', {}]), ...patch };
  }
  return patch;
}

/** Segments of pointers that none of the schema's fields have. */
const ODD_SEGMENTS = [
  '',
  '-',
  '0',
  '1',
  '00',
  '-1',
  '01',
  'a~1b',
  'a~0b',
  '~2',
  'a',
  'b',
  'labels',
  'é',
  '1e0',
] as const;

function randomOperation(random: Random, schema: StructSchema): unknown {
  if (random.chance(0.02)) return random.of([null, 1, 'x', [], {}]);
  const { path, target } = randomPointer(random, schema);
  const op = random.of(['add', 'add', 'replace', 'remove', 'test', 'copy', 'move', 'Add', '']);
  const value = random.chance(0.9)
    ? target === undefined
      ? random.of([null, 1, 'x', {}, [], { a: 'b' }])
      : randomValue(random, target, { odd: 0.05 })
    : undefined;
  return {
    ...(random.chance(0.98) && { op }),
    ...(random.chance(0.98) && { path }),
    ...(value !== undefined && { value }),
    ...((op === 'copy' || op === 'move' || random.chance(0.05)) && { from: randomPointer(random, schema).path }),
    ...(random.chance(0.02) && { extra: 1 }),
  };
}

function randomPointer(random: Random, schema: StructSchema): { path: string; target: Schema | undefined } {
  let target: Schema | undefined = schema;
  let path = '';
  // The internal types of upstream's program have JSON names, unlike the real ones: no patch removes the apiVersion.
  const length = 1 + random.below(5);
  for (let i = 0; i < length; i++) {
    const [segment, next]: [string, Schema | undefined] = randomSegment(random, target);
    path += `/${segment}`;
    target = next;
  }
  return { path: random.chance(0.02) ? path.slice(1) : path, target };
}

function randomSegment(random: Random, schema: Schema | undefined): [string, Schema | undefined] {
  if (schema === undefined || (schema.type !== 'rawExtension' && random.chance(0.05))) {
    return [random.of(ODD_SEGMENTS), undefined];
  }
  if (schema.type === 'list') return [random.of(['0', '1', '-', '2', '-1']), schema.element];
  if (schema.type === 'map') return [random.of(KEYS), schema.element];
  if (schema.type === 'rawExtension') return [RAW_KEY, undefined];
  if (schema.type !== 'struct') return [random.of(ODD_SEGMENTS), undefined];
  const fields = schema.fields.filter(
    ({ name }) => name !== 'managedFields' && name !== 'kind' && name !== 'apiVersion',
  );
  const field = fields[random.below(fields.length)];
  return field === undefined ? [random.of(ODD_SEGMENTS), undefined] : [field.name, field.schema];
}
