import { aggregateFieldErrors } from '../field/aggregate.js';
import { type FieldError, fieldInvalid, fieldNotSupported } from '../field/field-error.js';
import { FieldPath } from '../field/path.js';
import { printedAsJson } from '../field/print-value.js';
import { ParseError } from '../text/parse-error.js';
import type { Labels } from '../types/labels.js';
import { isLabelKey, isLabelValue } from '../validation/label.js';
import { parseInt64 } from '../values/int64.js';

/**
 * The relation of a label to the values of a requirement. `exists` and `!` take no values, `gt` and `lt` one integer.
 */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

/** The operators between a key and values, in the order upstream's messages list them. */
export const BINARY_LABEL_OPERATORS: readonly LabelOperator[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt'];

const LABEL_OPERATORS: readonly LabelOperator[] = [...BINARY_LABEL_OPERATORS, 'exists', '!'];

/** One condition on one label. Immutable; made by `newLabelRequirement`, which validates it. */
export class LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, and without duplicates if the requirement was parsed. */
  readonly values: readonly string[];

  constructor(key: string, operator: LabelOperator, values: readonly string[]) {
    this.key = key;
    this.operator = operator;
    this.values = values;
  }

  /** The one value the label must have, if the requirement determines it. */
  get exactValue(): string | undefined {
    const equality = this.operator === '=' || this.operator === '==' || this.operator === 'in';
    return equality && this.values.length === 1 ? this.values[0] : undefined;
  }

  /** Reports whether the labels meet the requirement; an absent label only meets `notin`, `!=` and `!`. */
  matches(labels: Labels | undefined): boolean {
    const value = labels !== undefined && Object.hasOwn(labels, this.key) ? labels[this.key] : undefined;
    switch (this.operator) {
      case 'exists':
        return value !== undefined;
      case '!':
        return value === undefined;
      case 'notin':
      case '!=':
        return value === undefined || !this.values.includes(value);
      case 'gt':
      case 'lt':
        return value !== undefined && this.#compares(value);
      default:
        return value !== undefined && this.values.includes(value);
    }
  }

  #compares(text: string): boolean {
    const value = parseInt64(text);
    const bound = parseInt64(this.values[0] ?? '');
    if (value === undefined || bound === undefined) return false;
    return this.operator === 'gt' ? value > bound : value < bound;
  }

  /** The text form that parses back: `a in (b,c)`, `!a`, `a>1`. */
  toString(): string {
    const values = this.values.toSorted().join(',');
    switch (this.operator) {
      case 'exists':
        return this.key;
      case '!':
        return `!${this.key}`;
      case 'in':
      case 'notin':
        return `${this.key} ${this.operator} (${values})`;
      case 'gt':
        return `${this.key}>${values}`;
      case 'lt':
        return `${this.key}<${values}`;
      default:
        return `${this.key}${this.operator}${values}`;
    }
  }
}

/**
 * A validated requirement. Throws a ParseError with upstream's aggregated text when key, operator and values do not
 * match; `path` is the prefix of the fields in messages (default: none, so that they start at `key` and `values`).
 */
export function newLabelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
  path: FieldPath = FieldPath.none,
): LabelRequirement {
  return requirementOf(key, operator, values, { path, keyFaults: checkLabelKey(key, path.child('key')) });
}

/** The same for a key whose faults are known. */
export function requirementOf(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
  { path, keyFaults }: { readonly path: FieldPath; readonly keyFaults: readonly FieldError[] },
): LabelRequirement {
  const valueFaults = values.length === 0 ? [] : checkLabelValues(key, values, path.child('values'));
  const errors = [...keyFaults, ...checkValueCount(operator, values, path), ...valueFaults];
  if (errors.length > 0) throw new ParseError(aggregateFieldErrors(errors));
  return new LabelRequirement(key, operator, values);
}

function checkLabelValues(key: string, values: readonly string[], path: FieldPath): FieldError[] {
  return values.flatMap((value, i) => checkLabelValue(key, value, path, i));
}

/** The field error of an invalid label key, with all its faults in one text; empty if it is valid. */
export function checkLabelKey(key: string, path: FieldPath): FieldError[] {
  const faults = isLabelKey(key);
  return faults.length === 0 ? [] : [fieldInvalid(path, key, faults.join('; '))];
}

function checkLabelValue(key: string, value: string, path: FieldPath, index: number): FieldError[] {
  const faults = isLabelValue(value);
  return faults.length === 0 ? [] : [fieldInvalid(path.index(index).key(key), value, faults.join('; '))];
}

function checkValueCount(operator: LabelOperator, values: readonly string[], path: FieldPath): FieldError[] {
  const valuesPath = path.child('values');
  const wrongCount = (detail: string) => [fieldInvalid(valuesPath, values, detail)];
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0 ? [] : wrongCount("for 'in', 'notin' operators, values set can't be empty");
    case '=':
    case '==':
    case '!=':
      return values.length === 1 ? [] : wrongCount('exact-match compatibility requires one single value');
    case 'exists':
    case '!':
      return values.length === 0 ? [] : wrongCount('values set must be empty for exists and does not exist');
    case 'gt':
    case 'lt':
      return [
        ...(values.length === 1 ? [] : wrongCount("for 'Gt', 'Lt' operators, exactly one value is required")),
        ...values.flatMap((value, i) => checkInteger(value, valuesPath.index(i))),
      ];
    default:
      return [fieldNotSupported(path.child('operator'), printedAsJson(operator), LABEL_OPERATORS)];
  }
}

function checkInteger(value: string, path: FieldPath): FieldError[] {
  if (parseInt64(value) !== undefined) return [];
  return [fieldInvalid(path, value, "for 'Gt', 'Lt' operators, the value must be an integer")];
}
