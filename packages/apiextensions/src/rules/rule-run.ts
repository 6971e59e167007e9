import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { oldElements } from '@apiserver/apimachinery/codec/structural';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldErrorMessage,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  MAX_FIELD_ERROR_TEXT_MADE,
  OMITTED_VALUE,
} from '@apiserver/apimachinery/field';
import { isMembers, type Members } from '@apiserver/apimachinery/json';
import type { Value } from '@apiserver/cel';
import type { Correlation } from './correlation.js';
import type { CompiledRule, Evaluation, RuleEngine, RuleSet } from './rule-engine.js';
import { messageOf } from './rule-message.js';
import type { RuleNode } from './rule-node.js';
import { ruleName } from './rule-text.js';

/**
 * Most that the rules of one object may cost. Upstream: RuntimeCELCostBudget of k8s.io/apiserver/pkg/apis/cel/config.go
 */
export const OBJECT_BUDGET = 10_000_000;
/** Errors of one object after which no more rules are run; a response has fewer. Upstream has no bound. */
const MAX_ERRORS = 10_000;

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** A value with all that its rules depend on. */
export interface RulePlace {
  readonly value: unknown;
  /** Undefined if there is no old value to compare with. */
  readonly old: unknown;
  readonly at: FieldPath;
  /** The old value by which errors are tolerated; undefined for a part that has no counterpart. */
  readonly correlation: Correlation | undefined;
  /** The nearest value around this one that has a counterpart. */
  readonly nearest: Correlation | undefined;
}

/**
 * Runs the rules of one object or default within a budget.
 *
 * Upstream: Validate of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go
 */
export class RuleRun {
  readonly errors: FieldError[] = [];
  /** UTF-16 units of all errors, also of tolerated ones. */
  #text = 0;
  /** The rest of the budget; negative after a rule was not run. */
  budget: number;
  readonly #engine: RuleEngine;
  readonly #warn: (message: string) => void;

  constructor(engine: RuleEngine, budget: number, warn: (message: string) => void) {
    this.#engine = engine;
    this.budget = budget;
    this.#warn = warn;
  }

  get #hasEnded(): boolean {
    return this.budget < 0;
  }

  /** Runs the rules about a value and the values in it. Yields where other work may come between. */
  *visit(node: RuleNode, place: RulePlace): Generator<void, void> {
    const { value } = place;
    if (value === null || value === undefined) return;
    if (node.hasOwnRules) yield* this.#own(node, place);
    if (this.#hasEnded) return;
    if (Array.isArray(value)) yield* this.#elements(node, value, place);
    else if (typeof value === 'object') yield* this.#members(node, value as Members, place);
  }

  *#members(node: RuleNode, value: Members, place: RulePlace): Generator<void, void> {
    const { values, properties } = node;
    if (values !== null) {
      for (const [name, member] of Object.entries(value)) {
        yield* this.visit(values, memberOf(place, name, member, place.at.key(name)));
        if (this.#hasEnded) return;
      }
    }
    for (const [name, property] of properties) {
      if (!Object.hasOwn(value, name)) continue;
      yield* this.visit(property, memberOf(place, name, value[name], place.at.child(name)));
      if (this.#hasEnded) return;
    }
  }

  *#elements(node: RuleNode, value: readonly unknown[], place: RulePlace): Generator<void, void> {
    const { items } = node;
    if (items === null) return;
    const oldOf = oldElementsOf(node.props, place.old);
    for (const [index, element] of value.entries()) {
      const { correlation, nearest } = place;
      yield* this.visit(items, {
        value: element,
        old: oldOf?.(element)?.value,
        at: place.at.index(index),
        correlation: correlation?.element(element),
        nearest: correlation ?? nearest,
      });
      if (this.#hasEnded) return;
    }
  }

  *#own(node: RuleNode, place: RulePlace): Generator<void, void> {
    const { props } = node;
    const ruleSet = yield* node.compiled();
    if (ruleSet === undefined) {
      this.#report(
        place.at,
        props,
        'rule compiler initialization error: failed to convert to declType for CEL validation rules',
      );
      return;
    }
    if (this.budget <= 0) {
      this.#end(place.at, props, OUT_OF_BUDGET);
      return;
    }
    const oldSelf = ruleSet.usesOldSelf && place.old !== undefined && place.old !== null;
    const values: Values = {
      self: this.#engine.view(place.value, ruleSet.self),
      oldSelf: oldSelf ? this.#engine.view(place.old, ruleSet.self) : undefined,
    };
    for (const compiled of ruleSet.rules) {
      this.#rule(compiled, { ...place, props, ruleSet }, values);
      if (this.#hasEnded) return;
      yield;
    }
  }

  #rule(compiled: CompiledRule, place: OwnPlace, { self, oldSelf }: Values): void {
    const { at, props, ruleSet } = place;
    const { rule, program, usesOldSelf, error } = compiled;
    if (error !== undefined) this.#report(at, props, `rule compile error: ${error}`);
    if (program === undefined) return;
    const isOptional = rule.optionalOldSelf === true;
    if (usesOldSelf && oldSelf === undefined && !isOptional) return;
    const binding = isOptional && ruleSet.usesOldSelf ? this.#engine.optional(oldSelf) : oldSelf;
    const evaluation = this.#engine.run(program, self, binding);
    if (!this.#pay(evaluation.cost)) this.#end(at, props, OUT_OF_BUDGET);
    else if (evaluation.error !== undefined) this.#failedToRun(evaluation.error, compiled, place);
    else if (evaluation.value !== true) this.#failed(compiled, place, { self, oldSelf });
  }

  /** Takes a cost off the budget; false if it is too much. */
  #pay(cost: number): boolean {
    if (cost > this.budget) return false;
    this.budget -= cost;
    return true;
  }

  #failedToRun(error: string, { rule }: CompiledRule, { at, props }: OwnPlace): void {
    const name = ruleName(rule);
    if (error.startsWith('no such overload')) {
      const detail = `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`;
      this.#report(at, props, detail);
    } else if (error.startsWith('operation cancelled: actual cost limit exceeded')) {
      const detail = `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
      this.#end(at, props, detail);
    } else this.#report(at, props, `${error} evaluating rule: ${name}`);
  }

  #failed(compiled: CompiledRule, place: OwnPlace, { self, oldSelf }: Values): void {
    const { rule, message, fieldPath, usesOldSelf } = compiled;
    const { props, value, correlation, nearest } = place;
    const at = fieldPath === undefined ? place.at : place.at.child(fieldPath);
    const evaluated: Evaluation | undefined = message && this.#engine.run(message, self, oldSelf);
    const text = messageOf(rule, evaluated, this.budget);
    const shown = props.type === 'object' || props.type === 'array' ? OMITTED_VALUE : value;
    const isTolerated = !usesOldSelf && (correlation ?? nearest)?.isUnchanged === true;
    if (!isTolerated || !this.#hasEnoughText) {
      const error = text.isFatal
        ? fieldInvalid(at, props.type ?? '', text.detail)
        : fieldErrorFor(rule.reason, at, shown, text.detail);
      if (isTolerated) this.#tolerate(error);
      else this.#add(error);
    }
    if (text.isFatal) this.budget = -1;
    else if (evaluated !== undefined) this.#pay(evaluated.cost);
  }

  #report(at: FieldPath, { type = '' }: JSONSchemaProps, detail: string): void {
    this.#add(fieldInvalid(at, type, detail));
  }

  #end(at: FieldPath, props: JSONSchemaProps, detail: string): void {
    this.#report(at, props, detail);
    this.budget = -1;
  }

  /** Does not end the run, because further rules may refuse the object. */
  #tolerate(error: FieldError): void {
    this.#text += error.field.length + error.detail.length;
    this.#warn(fieldErrorMessage(error));
  }

  #add(error: FieldError): void {
    this.errors.push(error);
    this.#text += error.field.length + error.detail.length;
    if (this.errors.length >= MAX_ERRORS || this.#hasEnoughText) this.budget = -1;
  }

  /** True if a response takes no more of it; the fields of values below long keys are long. */
  get #hasEnoughText(): boolean {
    return this.#text >= MAX_FIELD_ERROR_TEXT_MADE;
  }
}

interface Values {
  readonly self: Value;
  readonly oldSelf: Value | undefined;
}

interface OwnPlace extends RulePlace {
  readonly props: JSONSchemaProps;
  readonly ruleSet: RuleSet;
}

function memberOf({ old, correlation, nearest }: RulePlace, name: string, value: unknown, at: FieldPath): RulePlace {
  const before = isMembers(old) && Object.hasOwn(old, name) ? old[name] : undefined;
  if (correlation === undefined) return { value, old: before, at, correlation, nearest };
  // A request's version is that of both objects: a change of it is not to be seen.
  const isTyped = nearest === undefined && (name === 'apiVersion' || name === 'kind');
  if (isTyped) return { value, old: before, at, correlation: undefined, nearest: undefined };
  return { value, old: before, at, correlation: correlation.member(name, value), nearest: correlation };
}

function oldElementsOf(
  { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys = [] }: JSONSchemaProps,
  old: unknown,
) {
  if (type !== 'map' || keys.length === 0 || !Array.isArray(old)) return undefined;
  return oldElements({ value: old, schema: { listMapKeys: keys, items: {} } });
}

function fieldErrorFor(reason: string | undefined, at: FieldPath, value: unknown, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return fieldForbidden(at, detail);
    case 'FieldValueRequired':
      return fieldRequired(at, detail);
    case 'FieldValueDuplicate':
      return fieldDuplicate(at, value);
    default:
      return fieldInvalid(at, value, detail);
  }
}
