import type { Random } from '../../watch/random.ts';
import type { Schema } from '../random-definition.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const DEEPEST = 3;
/** Few values: writers meet in the same fields and keys. */
const TEXTS = ['x', 'y', ''] as const;

/** A structural schema without rules about values, of every type that managed fields distinguish. */
export function typedSchema(random: Random, depth = 0): Schema {
  const schema = undecorated(random, depth);
  if (depth > 0 && random.chance(0.08)) schema.nullable = true;
  if (depth > 0 && random.chance(0.12)) schema.default = typedValue(random, schema, { isDefault: true });
  return schema;
}

function undecorated(random: Random, depth: number): Schema {
  const kind = random.next();
  if (depth === 0 || (depth < DEEPEST && kind < 0.25)) return structure(random, depth);
  if (depth < DEEPEST && kind < 0.35) return map(random, depth);
  if (depth < DEEPEST && kind < 0.65) return list(random, depth);
  if (kind < 0.69) return { 'x-kubernetes-int-or-string': true };
  if (kind < 0.73) return { 'x-kubernetes-preserve-unknown-fields': true };
  if (kind < 0.76) {
    return { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
  }
  return scalar(random);
}

function scalar(random: Random): Schema {
  return { type: random.of(['string', 'string', 'integer', 'boolean', 'number']) };
}

function structure(random: Random, depth: number): Schema {
  const names = NAMES.filter(() => random.chance(0.6));
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, typedSchema(random, depth + 1)])),
  };
  if (depth > 0 && random.chance(0.2)) schema['x-kubernetes-map-type'] = random.of(['atomic', 'granular']);
  if (depth > 0 && random.chance(0.15)) schema['x-kubernetes-preserve-unknown-fields'] = true;
  return schema;
}

function map(random: Random, depth: number): Schema {
  const schema: Schema = { type: 'object', additionalProperties: typedSchema(random, depth + 1) };
  if (random.chance(0.25)) schema['x-kubernetes-map-type'] = random.of(['atomic', 'granular']);
  return schema;
}

function list(random: Random, depth: number): Schema {
  const kind = random.of(['', 'atomic', 'set', 'map', 'map']);
  const type = kind === '' ? {} : { 'x-kubernetes-list-type': kind };
  if (kind === 'map') return keyedList(random, depth);
  const items = kind === 'set' && random.chance(0.8) ? scalar(random) : typedSchema(random, depth + 1);
  if (kind === 'set' && items.type === 'object') items['x-kubernetes-map-type'] = 'atomic';
  if (kind === 'set' && items.type === 'array') items['x-kubernetes-list-type'] = 'atomic';
  if (kind === 'set') delete items.nullable;
  return { type: 'array', ...type, items };
}

function keyedList(random: Random, depth: number): Schema {
  const keys = random.of<[string, ...string[]]>([['a'], ['a', 'b']]);
  const defaulted = keys.filter(() => random.chance(0.4));
  const required = keys.filter((key) => !defaulted.includes(key));
  const properties: Record<string, Schema> = { c: typedSchema(random, depth + 1), d: typedSchema(random, depth + 1) };
  for (const key of keys) {
    const type = random.of(['string', 'string', 'integer', 'boolean']);
    properties[key] = { type };
    if (defaulted.includes(key)) properties[key].default = scalarValue(random, type);
  }
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    items: { type: 'object', properties, ...(required.length > 0 && { required }) },
  };
}

/** Options of a value. */
interface ValueOptions {
  /** No nulls and no unknown fields. */
  readonly isDefault?: boolean;
}

/** A value of a schema, at times with a null. */
export function typedValue(random: Random, schema: Schema, options: ValueOptions = {}): unknown {
  if (schema.nullable && random.chance(0.2)) return null;
  if (options.isDefault !== true && random.chance(0.02)) return null;
  if (schema['x-kubernetes-int-or-string']) return random.of<unknown>([1, '1', '2']);
  if (schema['x-kubernetes-embedded-resource']) {
    return {
      apiVersion: 'v1',
      kind: 'K',
      metadata: { name: random.of(TEXTS.slice(0, 2) as ['x', 'y']) },
      z: random.of(TEXTS),
    };
  }
  if (schema.type === undefined)
    return random.of<unknown>(['x', 1, { a: 'x' }, { a: { b: 1 }, c: [1] }, [{ a: 1 }], []]);
  if (schema.type === 'array') return listValue(random, schema, options);
  if (schema.type === 'object') return objectValue(random, schema, options);
  return scalarValue(random, schema.type);
}

function scalarValue(random: Random, type: string): unknown {
  if (type === 'string') return random.of(TEXTS);
  if (type === 'boolean') return random.chance(0.5);
  return type === 'integer' ? random.below(3) : random.of([0, 1, 1.5]);
}

function listValue(random: Random, schema: Schema, options: ValueOptions): unknown[] {
  const { items = {} } = schema;
  const values = Array.from({ length: random.below(4) }, () => typedValue(random, items, options));
  const keys = schema['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
  if (schema['x-kubernetes-list-type'] === 'set') return distinct(random, values, (value) => JSON.stringify(value));
  if (keys === undefined) return values;
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    for (const key of items.required ?? []) {
      if (!Object.hasOwn(value, key)) Reflect.set(value, key, scalarValue(random, items.properties?.[key]?.type ?? ''));
    }
  }
  return distinct(random, values, (value) =>
    JSON.stringify(keys.map((key) => Object(value)[key] ?? items.properties?.[key]?.default)),
  );
}

/** The values without duplicates, in most cases. */
function distinct(random: Random, values: unknown[], keyOf: (value: unknown) => string): unknown[] {
  if (random.chance(0.03)) return values;
  return [...new Map(values.map((value) => [keyOf(value), value])).values()];
}

function objectValue(random: Random, schema: Schema, options: ValueOptions): object {
  const { properties = {}, additionalProperties } = schema;
  const value: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(properties)) {
    if (random.chance(0.55)) value[name] = typedValue(random, member, options);
  }
  for (const name of NAMES) {
    if (additionalProperties && random.chance(0.3)) value[name] = typedValue(random, additionalProperties, options);
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] && random.chance(0.5))
    value['u'] = random.of<unknown>(['x', { v: 1 }, ['x']]);
  return value;
}

/** Changes the type of a random part of a schema. Mutates. */
export function retype(random: Random, root: Schema): void {
  const parts = partsOf(root);
  const part = parts[random.below(parts.length)] ?? root;
  const kind = random.next();
  if (part.type === 'array' && kind < 0.6) {
    delete part['x-kubernetes-list-map-keys'];
    const keyed = part.items?.properties && part.items.required?.includes('a');
    const type = random.of(keyed ? ['atomic', 'map', ''] : ['atomic', 'set', '']);
    if (type === '') delete part['x-kubernetes-list-type'];
    else part['x-kubernetes-list-type'] = type;
    if (type === 'map') part['x-kubernetes-list-map-keys'] = ['a'];
  } else if (part.type === 'object' && kind < 0.5) {
    if (part['x-kubernetes-map-type'] === 'atomic') delete part['x-kubernetes-map-type'];
    else if (part !== root) part['x-kubernetes-map-type'] = 'atomic';
  } else if (part.properties && kind < 0.8) {
    const name = random.of(NAMES);
    if (Object.hasOwn(part.properties, name) && !part.required?.includes(name)) delete part.properties[name];
    else part.properties[name] ??= typedSchema(random, DEEPEST - 1);
  } else if (part !== root && part.type !== 'array') {
    part.default = typedValue(random, part, { isDefault: true });
  }
}

function partsOf(schema: Schema): Schema[] {
  const { properties = {}, items, additionalProperties } = schema;
  const members = [...Object.values(properties), items, additionalProperties].filter((member) => member !== undefined);
  return [schema, ...members.flatMap(partsOf)];
}
