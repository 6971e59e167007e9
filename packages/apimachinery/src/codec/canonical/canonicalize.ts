import { compareKeys } from '../../json/compare-keys.js';
import { isMembers } from '../../json/is-members.js';
import { LaterMembers } from '../../json/later-members.js';
import { setOwn } from '../../json/set-own.js';
import { noteUncanonical } from '../../json/uncanonical-lists.js';
import { flatFields } from '../../schema/flat-fields.js';
import type { FieldSchema, ListSchema, MapSchema, Schema, SchemaOrSchema, StructSchema } from '../../schema/schema.js';
import { canonicalBase64 } from '../../text/base64.js';
import {
  type CanonicalContext,
  type Canonicalize,
  type Members,
  newContext,
  orRefuse,
  refuse,
} from './canonical-context.js';
import { int32, rawValue, scalarCanonicalizer, textCanonicalizer } from './canonical-scalar.js';
import { canonicalDuration, canonicalMicroTime, canonicalQuantity, canonicalTime, isReadAs } from './canonical-text.js';
import type { DecodingSteps } from './decoding-steps.js';
import { laterMap } from './later-map.js';
import { hasOrder, sortMembers } from './member-order.js';
import { dropRule, isStructInGo } from './omit-rules.js';

/** The canonical form of a value that belongs to the caller, in steps. Throws NotCanonical in any of them. */
export function* canonicalSteps(schema: Schema, value: unknown, keepsEmpty: boolean): DecodingSteps<unknown> {
  const later = new LaterMembers();
  const context = newContext({ owned: true, lenient: true, trusted: false, keepsEmpty, later });
  const canonical = canonicalizer(schema)(value, context);
  yield* later.run();
  if (context.uncanonical > 0) noteUncanonical(canonical);
  return canonical;
}

// Schemas never change, so compiled canonicalizers are cached by schema: kinds share their common structs.
const compiled = new WeakMap<Schema, Canonicalize>();

/** The canonicalizer of a schema; a struct's fields are compiled on its first value. */
export function canonicalizer(schema: Schema): Canonicalize {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const made = compile(schema);
  compiled.set(schema, made);
  return made;
}

function compile(schema: Schema): Canonicalize {
  switch (schema.type) {
    case 'struct':
      return structCanonicalizer(schema);
    case 'map':
      return mapCanonicalizer(schema);
    case 'list':
      return listCanonicalizer(schema);
    case 'schemaOr':
      return schemaOrCanonicalizer(schema);
    case 'bytes':
      return textCanonicalizer((text) => canonicalBase64(text) ?? refuse());
    case 'quantity':
      return (value, context) => (context.trusted ? value : sentQuantity(value, context));
    case 'time':
      return textCanonicalizer(canonicalTime);
    case 'microTime':
      return textCanonicalizer(canonicalMicroTime);
    case 'duration':
      return textCanonicalizer(canonicalDuration);
    case 'intOrString':
      return (value) => (typeof value === 'string' ? value : int32(value));
    case 'any':
    case 'json':
    case 'rawExtension':
    case 'fieldsV1':
    case 'unknown':
      return rawValue;
    default:
      return scalarCanonicalizer(schema);
  }
}

function sentQuantity(value: unknown, context: CanonicalContext): string {
  const canonical = orRefuse(canonicalQuantity, value);
  if (canonical !== value && !isReadAs(value, canonical)) context.uncanonical++;
  return canonical;
}

function listCanonicalizer({ element }: ListSchema): Canonicalize {
  const canonicalize = canonicalizer(element);
  const zero = zeroOf(element);
  return (value, context) => {
    if (!Array.isArray(value)) return refuse();
    let out: unknown[] = value;
    const before = context.uncanonical;
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      const canonical = item === null ? zero() : canonicalize(item, context);
      if (canonical === item) continue;
      if (out === value && !context.owned) out = value.slice();
      out[i] = canonical;
    }
    if (context.uncanonical !== before) noteUncanonical(out);
    return out;
  };
}

/** Key count from which an unordered map is written from a sorted list of its keys. */
const MANY = 1_024;

function mapCanonicalizer({ element }: MapSchema): Canonicalize {
  const canonicalize = canonicalizer(element);
  const zero = memberZero(element);
  return (value, context) => {
    const source = members(value);
    const later =
      context.later &&
      laterMap(source, context, (item) => (item === null ? zero(context) : canonicalize(item, context)));
    if (later !== undefined) return later;
    let out = source;
    let previous: string | undefined;
    let ordered = true;
    const before = context.members;
    for (const key in source) {
      context.members++;
      const item = source[key];
      const canonical = item === null ? zero(context) : canonicalize(item, context);
      if (ordered && previous !== undefined && compareKeys(previous, key) > 0) ordered = false;
      previous = key;
      if (canonical === item) continue;
      if (out === source && !context.owned) out = { ...source };
      setOwn(out, key, canonical);
    }
    if (ordered) return out;
    // Writers of text sort the keys of such maps themselves, and JavaScript keeps objects with many keys in a slow
    // form.
    if (context.trusted && !context.owned && context.members - before > MANY) {
      context.unordered = true;
      return out;
    }
    const inOrder = sortMembers(out);
    if (!hasOrder(inOrder)) context.unordered = true;
    return inOrder;
  };
}

/** The value of a null member of a map. Protobuf can express neither null bytes nor null lists. */
function memberZero(element: Schema): (context: CanonicalContext) => unknown {
  if (element.type === 'bytes') return ({ asFromProtobuf }) => (asFromProtobuf ? '' : null);
  if (element.type === 'list') return ({ asFromProtobuf }) => (asFromProtobuf ? [] : null);
  return zeroOf(element);
}

function members(value: unknown): Members {
  return isMembers(value) ? value : refuse();
}

function schemaOrCanonicalizer(schema: SchemaOrSchema): Canonicalize {
  const { alternative } = schema;
  const props = canonicalizer(schema.props);
  const list = listCanonicalizer({ type: 'list', goName: '', element: schema.props });
  return (value, context) => {
    if (Array.isArray(value)) {
      if (alternative === 'bool') return refuse();
      if (alternative === 'array') return value.length === 0 ? noSchemas(context) : list(value, context);
      return value.every((item) => typeof item === 'string') ? (value.length === 0 ? null : value) : refuse();
    }
    if (typeof value === 'object') return canonicalApart(props, value, context);
    if (alternative === 'array') return noSchemas(context);
    if (alternative === 'stringArray') return null;
    return typeof value === 'boolean' ? value : refuse();
  };
}

/** A list of schemas that has none differs from an absent one until it is stored. */
function noSchemas({ keepsEmpty }: CanonicalContext): readonly unknown[] | null {
  return keepsEmpty ? [] : null;
}

/** A nested schema decodes apart from the text around it: its unknown fields are dropped in every mode. */
function canonicalApart(canonicalize: Canonicalize, value: unknown, context: CanonicalContext): unknown {
  const own = { ...context, lenient: true };
  const canonical = canonicalize(value, own);
  context.members = own.members;
  context.uncanonical = own.uncanonical;
  context.unordered = own.unordered;
  return canonical;
}

/** A field of a compiled struct. */
export interface CompiledField {
  readonly name: string;
  readonly index: number;
  readonly canonicalize: Canonicalize;
  /** The value that JSON shows for an absent field; undefined when JSON leaves it out. */
  readonly zero: (() => unknown) | undefined;
  readonly isDropped: (canonical: unknown) => boolean;
  readonly keptWhenEmpty: boolean;
  /** True for a duration, whose Go type reads null as an empty text. */
  readonly refusesNull: boolean;
  /** True for a quantity that JSON always shows. In Go its zero value differs from the zero that is read. */
  readonly isAmount: boolean;
}

/** A struct's fields in JSON order, and by name. */
export interface CompiledStruct {
  readonly fields: readonly CompiledField[];
  readonly byName: ReadonlyMap<string, CompiledField>;
  /** Number of fields that JSON always shows. */
  readonly always: number;
  readonly amounts: readonly CompiledField[];
}

const compiledStructs = new WeakMap<StructSchema, CompiledStruct>();

/** Compiles a struct for its canonical objects. */
export function compiledStruct(struct: StructSchema): CompiledStruct {
  const known = compiledStructs.get(struct);
  if (known !== undefined) return known;
  const made = compileStruct(struct);
  compiledStructs.set(struct, made);
  return made;
}

function compileStruct(struct: StructSchema): CompiledStruct {
  const fields = flatFields(struct).map(compileField);
  return {
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    always: fields.filter((field) => field.zero !== undefined).length,
    amounts: fields.filter(({ isAmount }) => isAmount),
  };
}

function compileField(field: FieldSchema, index: number): CompiledField {
  const zero = absentValue(field);
  return {
    name: field.name,
    index,
    canonicalize: isRequiredList(field) ? requiredList(field.schema) : canonicalizer(field.schema),
    zero,
    isDropped: dropRule(field),
    keptWhenEmpty: field.keptWhenEmpty === true,
    refusesNull: field.schema.type === 'duration' && !field.pointer,
    isAmount: field.schema.type === 'quantity' && zero !== undefined && !field.pointer,
  };
}

/** True for a list that JSON shows even when it is empty. */
function isRequiredList({ schema, omitEmpty, omitZero, pointer }: FieldSchema): boolean {
  return schema.type === 'list' && !omitEmpty && !omitZero && !pointer;
}

/** Protobuf cannot express an empty list: decoding yields Go's nil. */
function requiredList(schema: Schema): Canonicalize {
  const canonicalize = canonicalizer(schema);
  return (value, context) => {
    const canonical = canonicalize(value, context);
    return context.asFromProtobuf && (canonical as readonly unknown[]).length === 0 ? null : canonical;
  };
}

/** The value that JSON shows for an absent field: none, null, or the type's zero value. */
function absentValue(field: FieldSchema): (() => unknown) | undefined {
  const byValue = !field.pointer && isStructInGo(field.schema);
  if (field.omitZero || (field.omitEmpty && !byValue)) return undefined;
  return field.pointer ? () => null : zeroOf(field.schema);
}

/** Makes the zero value of a type in its JSON form; each call returns a new one. */
export function zeroOf(schema: Schema): () => unknown {
  switch (schema.type) {
    case 'struct': {
      const canonicalize = canonicalizer(schema);
      return () => canonicalize({}, newContext({ owned: true, lenient: false, trusted: true }));
    }
    case 'string':
      return () => '';
    case 'bool':
      return () => false;
    case 'int32':
    case 'int64':
    case 'float64':
    case 'intOrString':
      return () => 0;
    case 'quantity':
      return () => '0';
    case 'duration':
      return () => '0s';
    case 'schemaOr':
      return () => (schema.alternative === 'bool' ? false : null);
    default:
      return () => null;
  }
}

function structCanonicalizer(struct: StructSchema): Canonicalize {
  let made: CompiledStruct | undefined;
  return (value, context) => {
    made ??= compiledStruct(struct);
    const source = members(value);
    const { byName, fields } = made;
    const before = context.uncanonical;
    let always = made.always;
    let last = -1;
    let slots: unknown[] | undefined;
    for (const key in source) {
      context.members++;
      const item = source[key];
      const field = byName.get(key);
      if (field === undefined) {
        if (!context.lenient) refuse();
        slots ??= slotsBefore(source, key, made);
        continue;
      }
      const canonical = canonicalField(field, item, context);
      if (canonical !== undefined && field.zero !== undefined) always--;
      if (slots !== undefined) slots[field.index] = canonical;
      else if (canonical === undefined || field.index < last || (canonical !== item && !context.owned)) {
        slots = slotsBefore(source, key, made);
        slots[field.index] = canonical;
      } else if (canonical !== item) source[key] = canonical;
      last = field.index;
    }
    for (const { name } of made.amounts) if (source[name] === undefined) context.uncanonical++;
    const isComplete = slots === undefined && always === 0;
    const out = isComplete ? source : assemble(fields, slots ?? slotsBefore(source, undefined, made));
    if (context.uncanonical !== before) noteUncanonical(out);
    return out;
  };
}

/** The canonical value of a field that is present in the source; undefined when JSON leaves it out. */
function canonicalField(field: CompiledField, item: unknown, context: CanonicalContext): unknown {
  if (item === null || item === undefined) {
    if (item === null && field.refusesNull) refuse();
    if (item === null && field.isAmount) context.uncanonical++;
    return field.zero === undefined ? undefined : field.zero();
  }
  const before = context.members;
  const canonical = field.canonicalize(item, context);
  // A value with members is not empty. JavaScript lists all keys of an object to find the first one.
  if (context.members > before || !field.isDropped(canonical)) return canonical;
  if (!context.keepsEmpty) return undefined;
  if (field.keptWhenEmpty) return canonical;
  if (typeof canonical === 'object' && canonical !== null) context.uncanonical++;
  return undefined;
}

/** The values of the members before `key` (all of them, when undefined), by field index. They are already canonical. */
function slotsBefore(source: Members, key: string | undefined, { byName, fields }: CompiledStruct): unknown[] {
  const slots = new Array<unknown>(fields.length);
  for (const name in source) {
    if (name === key) break;
    const item = source[name];
    const field = byName.get(name);
    if (field !== undefined) slots[field.index] = item;
  }
  return slots;
}

/** The canonical values of an object by field index, for `finishStruct`; empty for an absent object. */
export function structSlots(struct: StructSchema, previous: unknown): unknown[] {
  const made = compiledStruct(struct);
  return slotsBefore((previous ?? {}) as Members, undefined, made);
}

/**
 * Makes the canonical object of canonical values by field index, which may still include zero values and null. Empty
 * lists that differ from absent ones stay. Values that `before` already has are not visited again: maps may be large,
 * and only grow. `counts` counts the empty lists and maps that are left out, and the quantities that are added.
 */
export function finishStruct(
  struct: StructSchema,
  slots: unknown[],
  before?: readonly unknown[],
  counts?: Pick<CanonicalContext, 'uncanonical'>,
): Members {
  const { fields, amounts } = compiledStruct(struct);
  if (counts !== undefined) for (const { index } of amounts) if ((slots[index] ?? null) === null) counts.uncanonical++;
  for (let i = 0; i < fields.length; i++) {
    const value = slots[i];
    if (value === undefined || value === null || value === before?.[i]) continue;
    const field = fields[i] as CompiledField;
    if (!field.isDropped(value) || field.keptWhenEmpty) continue;
    if (counts !== undefined && typeof value === 'object') counts.uncanonical++;
    slots[i] = undefined;
  }
  return assemble(fields, slots);
}

/** The canonical object of canonical values by field index. Absent and null are equivalent. */
export function assemble(fields: readonly CompiledField[], slots: readonly unknown[]): Members {
  const out: Members = {};
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as CompiledField;
    const value = slots[i] ?? field.zero?.();
    if (value !== undefined) setOwn(out, field.name, value);
  }
  return out;
}
