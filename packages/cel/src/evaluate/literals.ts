import { valueText, valueTextWork } from '../libraries/strings/value-text.js';
import { ArrayList } from '../values/lists.js';
import { EntryMap, isHashable } from '../values/maps.js';
import type { StructConstructor } from '../values/struct-constructor.js';
import { EvaluationError, OptionalValue, type Result, type Value } from '../values/value.js';
import { type Plan, stepOf } from './attribute.js';
import type { Frame, Step } from './frame.js';
import { formatKey } from './lookup.js';

/** Base costs of literals. */
const LIST_COST = 10;
const MAP_COST = 30;
const STRUCT_COST = 40;

interface PlannedElement {
  readonly value: Plan;
  readonly optional: boolean;
}

interface PlannedEntry extends PlannedElement {
  readonly key: Plan;
}

interface CompiledField {
  readonly name: string;
  readonly value: Step;
  readonly optional: boolean;
}

/** A list literal. One of constants is a constant. */
export function listPlan(elements: readonly PlannedElement[]): Plan {
  const constants = elements.flatMap(({ value }) => (value.kind === 'constant' ? [value.value] : []));
  const anyOptional = elements.some(({ optional }) => optional);
  if (constants.length === elements.length && !anyOptional) {
    return { kind: 'constant', value: new ArrayList(constants) };
  }
  const steps = elements.map(({ value, optional }) => ({ run: stepOf(value), optional }));
  const run: Step = (frame) => {
    const values: Value[] = [];
    let result: Result | undefined;
    for (const { run, optional } of steps) {
      const value = run(frame);
      const present = value instanceof EvaluationError || !optional ? value : heldElement(frame, value);
      if (present instanceof EvaluationError) {
        result = present;
        break;
      }
      if (present !== undefined) values.push(present);
    }
    frame.charge(LIST_COST);
    return result ?? new ArrayList(values);
  };
  return { kind: 'step', run };
}

/** The value of an optional element; undefined for none. */
function heldElement(frame: Frame, value: Value): Result | undefined {
  return value instanceof OptionalValue ? value.value : notOptional(frame, 'list element', value);
}

/** A map literal. One of constants is a constant. */
export function mapPlan(entries: readonly PlannedEntry[]): Plan {
  const steps = entries.map(({ key, value, optional }) => ({ key: stepOf(key), value: stepOf(value), optional }));
  const constant = entries.every(
    ({ key, value, optional }) => key.kind === 'constant' && value.kind === 'constant' && !optional,
  );
  if (constant) {
    const map = constantMap(entries);
    if (map !== undefined) return { kind: 'constant', value: map };
  }
  const run: Step = (frame) => {
    const map = new EntryMap();
    let error: EvaluationError | undefined;
    for (const entry of steps) {
      const key = entry.key(frame);
      const value = key instanceof EvaluationError ? key : entry.value(frame);
      error = setEntry(frame, map, { key, value, optional: entry.optional });
      if (error !== undefined) break;
    }
    frame.charge(MAP_COST);
    return error ?? map;
  };
  return { kind: 'step', run };
}

/** The map of constants; undefined if a key may not be one. */
function constantMap(entries: readonly PlannedEntry[]): EntryMap | undefined {
  const map = new EntryMap();
  for (const { key, value } of entries) {
    if (key.kind !== 'constant' || value.kind !== 'constant') return undefined;
    if (!isHashable(key.value)) return undefined;
    map.set(key.value, value.value);
  }
  return map;
}

function setEntry(
  frame: Frame,
  map: EntryMap,
  { key, value, optional }: { readonly key: Result; readonly value: Result; readonly optional: boolean },
): EvaluationError | undefined {
  if (key instanceof EvaluationError) return key;
  if (value instanceof EvaluationError) return value;
  if (!optional) map.set(key, value);
  else if (!(value instanceof OptionalValue)) return notOptional(frame, `entry '${formatKey(key)}'`, value);
  else if (value.value === undefined) map.delete(key);
  else map.set(key, value.value);
  return undefined;
}

function notOptional(frame: Frame, place: string, value: Value): EvaluationError {
  frame.spend(valueTextWork(value));
  return new EvaluationError(`cannot initialize optional ${place} from non-optional value ${valueText(value)}`);
}

/** A struct literal. */
export function structPlan(construct: StructConstructor, fields: readonly CompiledField[]): Plan {
  const run: Step = (frame) => {
    const values = new Map<string, Value>();
    let error: EvaluationError | undefined;
    for (const field of fields) {
      error = setField(frame, values, { name: field.name, optional: field.optional, value: field.value(frame) });
      if (error !== undefined) break;
    }
    const result = error ?? construct(values, frame);
    frame.charge(STRUCT_COST);
    return result;
  };
  return { kind: 'step', run };
}

function setField(
  frame: Frame,
  values: Map<string, Value>,
  { name, optional, value }: { readonly name: string; readonly optional: boolean; readonly value: Result },
): EvaluationError | undefined {
  if (value instanceof EvaluationError) return value;
  if (!optional) values.set(name, value);
  else if (!(value instanceof OptionalValue)) return notOptional(frame, `entry '${name}'`, value);
  else if (value.value === undefined) values.delete(name);
  else values.set(name, value.value);
  return undefined;
}
