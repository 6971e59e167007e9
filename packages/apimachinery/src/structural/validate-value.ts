import { stringifyJson } from '../codec/stringify-json.js';
import { appendAll } from '../field/append-all.js';
import { type FieldError, fieldErrorMessage } from '../field/field-error.js';
import type { FieldPath } from '../field/path.js';
import { equalJson } from '../json/equal-json.js';
import type { ValueValidation } from '../schema/value-validation.js';
import { compileJunctors } from './junctors.js';
import { type CompilePattern, PatternError } from './pattern-engine.js';
import { validateNumber } from './validate-number.js';
import { brokenRule, missing, notListed, tooLong, tooMany, type ValueError, wrongType } from './value-error.js';
import { formatCheck } from './value-format.js';
import type { OldValue, ValidateValue, ValueResult } from './value-result.js';
import { typeCheck } from './value-type.js';

/** Checks a value into `result`. */
type Check = (value: unknown, path: string, result: ValueResult, old: OldValue | undefined) => void;
/** Validates the values of a kind. */
export interface ValueValidator {
  /** `at` is the path of `value`: FieldPath.none for a whole object. */
  validate(value: unknown, at: FieldPath): readonly FieldError[];
  /** The same for an update: what was wrong before and has not changed stays as it is. */
  validateUpdate(value: unknown, old: unknown, at: FieldPath): readonly FieldError[];
}

/**
 * A validator, each part of which is compiled when its first value comes. Errors come in the order of sorted keys; a
 * pattern that is none is one of them.
 *
 * Upstream: k8s.io/kube-openapi/pkg/validation/validate, k8s.io/apiextensions-apiserver/pkg/apiserver/validation
 */
export function valueValidator(validation: ValueValidation, compilePattern: CompilePattern): ValueValidator {
  const validate = onFirstValue(validation, compilePattern);
  return {
    validate: (value, at) => told(validate(value, '').errors, at),
    validateUpdate: (value, old, at) => {
      const before = old === undefined ? undefined : { value: old };
      return told(validate(value, '', before).errors, at);
    },
  };
}

/** The errors of a value, each told once: junctors find many of them again. */
function told(errors: readonly ValueError[], at: FieldPath): readonly FieldError[] {
  const seen = new Map<string, FieldError>();
  for (const error of errors) {
    const fieldError = error.toFieldError(at);
    const message = fieldErrorMessage(fieldError);
    if (!seen.has(message)) seen.set(message, fieldError);
  }
  return [...seen.values()];
}

/** Compiles a node when it is needed: most of a large schema never sees a value, and there are many large schemas. */
function onFirstValue(rules: ValueValidation, compilePattern: CompilePattern): ValidateValue {
  let validate: ValidateValue | undefined;
  return (value, path, old) => {
    validate ??= compileValidation(rules, compilePattern);
    return validate(value, path, old);
  };
}

/** Compiles one node, and of what is below it as much as is needed at once. */
function compileValidation(rules: ValueValidation, compilePattern: CompilePattern): ValidateValue {
  const checkType = typeCheck(rules);
  const checkEnum = enumCheck(rules);
  const checks: readonly Check[] = [
    ...(checkType === undefined ? [] : [checkType]),
    compileJunctors(rules, (nested) => onFirstValue(nested, compilePattern)),
    stringCheck(rules, compilePattern),
    numberCheck(rules),
    listCheck(rules, compilePattern),
    checkEnum,
    objectCheck(rules, compilePattern),
  ];
  return (value, path, old) => {
    const result: ValueResult = { errors: [], matches: 0 };
    if (value === null) {
      checkType?.(value, path, result);
      checkEnum(value, path, result, old);
    } else for (const check of checks) check(value, path, result, old);
    result.matches++;
    const unchanged = old !== undefined && result.errors.length > 0 && equalJson(old.value, value);
    return unchanged ? { errors: [], matches: result.matches } : result;
  };
}

function stringCheck(rules: ValueValidation, compilePattern: CompilePattern): Check {
  const { minLength, maxLength, pattern, format } = rules;
  const mismatch = pattern === undefined ? undefined : mismatchOf(pattern, compilePattern);
  const hasFormat = format === undefined ? undefined : formatCheck(format);
  const broken = (text: string, path: string): ValueError | undefined => {
    const characters = minLength === undefined && maxLength === undefined ? 0 : [...text].length;
    if (maxLength !== undefined && characters > maxLength) return tooLong(path, maxLength);
    if (minLength !== undefined && characters < minLength) {
      return brokenRule(path, text, `should be at least ${minLength} chars long`);
    }
    const unlike = mismatch?.(text);
    return unlike === undefined ? undefined : brokenRule(path, text, `should match '${unlike}'`);
  };
  return (value, path, result) => {
    if (typeof value !== 'string') return;
    const error = broken(value, path);
    if (error !== undefined) result.errors.push(error);
    if (hasFormat?.(value) === false) result.errors.push(wrongType(path, format ?? '', value));
    result.matches++;
  };
}

/** What a text should have matched and does not: the pattern, or why there is none. */
function mismatchOf(pattern: string, compilePattern: CompilePattern): (text: string) => string | undefined {
  try {
    const matches = compilePattern(pattern);
    return (text) => (matches(text) ? undefined : pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return () => `${pattern}, but pattern is invalid: ${error.message}`;
  }
}

function numberCheck(rules: ValueValidation): Check {
  return (value, path, result) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return;
    result.errors.push(...validateNumber(rules, value, path));
    result.matches += 2;
  };
}

function enumCheck({ enum: values }: ValueValidation): Check {
  if (values === undefined || values.length === 0) return () => {};
  // Upstream never finds a null in the list.
  const found = (value: unknown) => value !== null && values.some((one) => equalJson(one, value));
  return (value, path, result) => {
    if (found(value)) result.matches++;
    else result.errors.push(notListed(path, value, values));
  };
}

function listCheck(rules: ValueValidation, compilePattern: CompilePattern): Check {
  const { minItems, maxItems, uniqueItems } = rules;
  const item = rules.items === undefined ? undefined : onFirstValue(rules.items, compilePattern);
  return (value, path, result, old) => {
    if (!Array.isArray(value)) return;
    if (item !== undefined) {
      const before = elementsByKey(rules, old);
      for (const [i, element] of value.entries()) {
        merge(result, item(element, `${path}[${i}]`, before?.(element)));
      }
    }
    if (minItems !== undefined && value.length < minItems) {
      result.errors.push(brokenRule(path, value.length, `should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && value.length > maxItems) result.errors.push(tooMany(path, value.length, maxItems));
    if (uniqueItems === true && new Set(value.map(stringifyJson)).size < value.length) {
      result.errors.push(brokenRule(path, '', "shouldn't contain duplicates"));
    }
    result.matches++;
  };
}

/** Finds what an element of a list with keys was before. */
function elementsByKey(
  { listMapKeys }: ValueValidation,
  old: OldValue | undefined,
): ((element: unknown) => OldValue | undefined) | undefined {
  if (listMapKeys === undefined || !Array.isArray(old?.value)) return undefined;
  const keyOf = (element: unknown) =>
    isMembers(element) ? stringifyJson(listMapKeys.map((key) => element[key] ?? null)) : '';
  const byKey = new Map(old.value.map((element) => [keyOf(element), element as unknown]));
  return (element) => {
    const key = keyOf(element);
    return byKey.has(key) ? { value: byKey.get(key) } : undefined;
  };
}

function objectCheck(rules: ValueValidation, compilePattern: CompilePattern): Check {
  const { minProperties, maxProperties, additionalProperties, required = [], atomicMap } = rules;
  const properties = new Map(
    [...(rules.properties ?? [])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, nested]) => [name, onFirstValue(nested, compilePattern)] as const),
  );
  const rest =
    typeof additionalProperties === 'object' ? onFirstValue(additionalProperties, compilePattern) : undefined;
  return (value, path, result, old) => {
    if (!isMembers(value)) return;
    const names = Object.keys(value);
    if (minProperties !== undefined && names.length < minProperties) {
      const rule = `should have at least ${minProperties} properties`;
      result.errors.push(brokenRule(path, names.length, rule));
    }
    if (maxProperties !== undefined && names.length > maxProperties) {
      result.errors.push(tooMany(path, names.length, maxProperties));
    }
    const before = (name: string): OldValue | undefined => {
      const was = atomicMap === true ? undefined : old?.value;
      return isMembers(was) && Object.hasOwn(was, name) ? { value: was[name] } : undefined;
    };
    for (const name of names.sort()) {
      if (properties.has(name)) continue;
      if (rest !== undefined) merge(result, rest(value[name], `${path}.${name}`, before(name)));
      else if (additionalProperties === false) result.errors.push(forbidden(path, name));
    }
    for (const [name, validate] of properties) {
      if (!Object.hasOwn(value, name)) continue;
      merge(result, validate(value[name], path === '' ? name : `${path}.${name}`, before(name)));
    }
    for (const name of required) if (!Object.hasOwn(value, name)) result.errors.push(missing(`${path}.${name}`));
    result.matches++;
  };
}

function forbidden(path: string, name: string): ValueError {
  const place = `${path}.${name}`;
  return { ...brokenRule(place, '', 'is a forbidden property') };
}

/** Takes what was found below into the result above. */
export function merge(result: ValueResult, nested: ValueResult): void {
  appendAll(result.errors, nested.errors);
  result.matches += nested.matches;
}

function isMembers(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
