import { NO_SUCH_OVERLOAD } from '../values/errors.js';
import { readResult } from '../values/invalid-value.js';
import { MadeObject } from '../values/made-object.js';
import { EvaluationError, OptionalValue, type Result, type Value } from '../values/value.js';
import { untypedValue } from '../views/untyped-value.js';
import type { Frame, Step } from './frame.js';
import { hasPart, lookUp, missingPart } from './lookup.js';

/** One selection or index of an attribute. */
export interface Qualifier {
  /** A constant, or a step that has its own cost. */
  readonly key: Value | Step;
  /** True for `?.` and `[?_]`. */
  readonly optional: boolean;
  /** True for the field of `has()`. */
  readonly test: boolean;
  /** True for a field of an operand whose type declares it. */
  readonly declared?: boolean;
}

/** A value with selections: that of a variable or of any other step, or one of two attributes. */
export type Attribute =
  | { readonly kind: 'attribute'; readonly source: Step; readonly qualifiers: readonly Qualifier[] }
  | ConditionalAttribute;

interface ConditionalAttribute {
  readonly kind: 'conditional';
  readonly condition: Step;
  readonly truthy: Attribute;
  readonly falsy: Attribute;
  /** True for `has()` of a selection of the conditional, not for one inside a branch. */
  readonly test: boolean;
}

/** The planned form of an expression. Costs depend on it. */
export type Plan =
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'step'; readonly run: Step }
  | Attribute;

/** An attribute whose source is any plan. */
export function attributeOf(plan: Plan): Attribute {
  switch (plan.kind) {
    case 'constant':
    case 'step':
      return { kind: 'attribute', source: stepOf(plan), qualifiers: [] };
    default:
      return plan;
  }
}

/** An attribute with one more selection. Both branches of a conditional get it, as upstream. */
export function qualify(attribute: Attribute, qualifier: Qualifier): Attribute {
  if (attribute.kind === 'attribute') {
    return { ...attribute, qualifiers: [...attribute.qualifiers, qualifier] };
  }
  const { truthy, falsy } = attribute;
  return { ...attribute, truthy: qualify(truthy, qualifier), falsy: qualify(falsy, qualifier), test: qualifier.test };
}

/** The step of a plan, with its whole cost. */
export function stepOf(plan: Plan): Step {
  switch (plan.kind) {
    case 'constant': {
      const { value } = plan;
      return () => value;
    }
    case 'step':
      return plan.run;
    case 'conditional':
      return isTest(plan) ? discounted(resolve(plan)) : resolve(plan);
    case 'attribute':
      // The test of a field costs nothing besides its selections.
      return isTest(plan) ? resolve(plan) : counted(resolve(plan));
  }
}

function isTest(attribute: Attribute): boolean {
  if (attribute.kind === 'conditional') return attribute.test;
  return attribute.qualifiers.at(-1)?.test === true;
}

function counted(step: Step): Step {
  return (frame) => {
    const value = step(frame);
    frame.charge(1);
    return value;
  };
}

/** Upstream takes 1 from the cost of has() of a selection of a conditional. */
function discounted(step: Step): Step {
  return (frame) => {
    const value = step(frame);
    frame.discount();
    return value;
  };
}

/** The step of an attribute without a cost of its own: that of its selections only. */
export function resolve(attribute: Attribute): Step {
  if (attribute.kind === 'conditional') return resolveConditional(attribute);
  const { source, qualifiers } = attribute;
  const [first, ...more] = qualifiers;
  if (first === undefined) return resolveWhole(source);
  if (more.length === 0 && !first.optional && !first.test && typeof first.key === 'string') {
    return resolveField(source, first.key, first.declared === true);
  }
  return (frame) => {
    const value = source(frame);
    return value instanceof EvaluationError ? value : applyQualifiers(frame, value, qualifiers);
  };
}

function resolveConditional(attribute: ConditionalAttribute): Step {
  const { condition } = attribute;
  const [truthy, falsy] = [resolve(attribute.truthy), resolve(attribute.falsy)];
  return (frame) => {
    const test = condition(frame);
    if (test === true) return truthy(frame);
    if (test === false) return falsy(frame);
    return test instanceof EvaluationError ? test : NO_SUCH_OVERLOAD;
  };
}

function resolveWhole(source: Step): Step {
  return (frame) => {
    const value = source(frame);
    if (!(value instanceof OptionalValue) || value.value === undefined) return value;
    return OptionalValue.of(untypedValue(value.value));
  };
}

function resolveField(source: Step, field: string, declared: boolean): Step {
  const qualifiers: readonly Qualifier[] = [{ key: field, optional: false, test: false, declared }];
  return (frame) => {
    const value = source(frame);
    if (value instanceof EvaluationError) return value;
    if (value instanceof OptionalValue) return applyQualifiers(frame, value, qualifiers);
    const found = declared && value instanceof MadeObject ? value.findDeclared(field) : lookUp(value, field);
    frame.charge(1);
    return found === undefined ? missingPart(value, field) : readResult(found);
  };
}

function applyQualifiers(frame: Frame, start: Value, qualifiers: readonly Qualifier[]): Result {
  let value = start;
  let optional = false;
  const test = qualifiers.at(-1)?.test === true;
  if (value instanceof OptionalValue) {
    if (value.value === undefined) return test ? false : value;
    value = untypedValue(value.value);
    optional = true;
  }
  for (const qualifier of qualifiers) {
    optional ||= qualifier.optional;
    const next = optional ? applyIfPresent(frame, value, qualifier) : apply(frame, value, qualifier);
    if (next === undefined) return test ? false : OptionalValue.NONE;
    if (next instanceof EvaluationError) return next;
    value = next;
  }
  if (test) return optional || value;
  return optional ? OptionalValue.of(value) : readResult(value);
}

function apply(frame: Frame, value: Value, qualifier: Qualifier): Result {
  const { key } = qualifier;
  const part = typeof key === 'function' ? key(frame) : key;
  const found = part instanceof EvaluationError ? part : find(value, part, qualifier);
  frame.charge(1);
  return found;
}

function find(value: Value, key: Value, { test, declared }: Qualifier): Result {
  if (declared === true && value instanceof MadeObject && typeof key === 'string') {
    return test ? value.hasDeclared(key) : (value.findDeclared(key) ?? missingPart(value, key));
  }
  if (test) return hasPart(value, key);
  const found = lookUp(value, key);
  return found === undefined ? missingPart(value, key) : found;
}

/** Upstream counts no selection that finds nothing behind an optional. */
function applyIfPresent(frame: Frame, value: Value, { key }: Qualifier): Result | undefined {
  const part = typeof key === 'function' ? key(frame) : key;
  const found = part instanceof EvaluationError ? part : findIfPresent(value, part);
  if (found !== undefined && !(found instanceof EvaluationError)) frame.charge(1);
  return found;
}

/** An unset field of an object that an expression makes has a value all the same, unlike parts of other values. */
function findIfPresent(value: Value, part: Value): Result | undefined {
  if (value instanceof MadeObject && typeof part === 'string') {
    const isSet = value.has(part);
    if (isSet !== true) return isSet === false ? undefined : isSet;
  }
  return lookUp(value, part);
}
