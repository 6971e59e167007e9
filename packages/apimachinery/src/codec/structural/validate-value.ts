import { MAX_ERROR_TEXT, MAX_ERRORS } from '../../field/capped-errors.js';
import { furtherFieldErrors, MAX_FIELD_ERRORS_MADE } from '../../field/collect-field-errors.js';
import { type FieldError, fieldErrorMessage } from '../../field/field-error.js';
import type { FieldPath } from '../../field/path.js';
import { equalJson } from '../../json/equal-json.js';
import { isMembers } from '../../json/is-members.js';
import {
  type CompilePattern,
  type MatchPattern,
  newPatternBudget,
  PatternError,
} from '../../patterns/pattern-engine.js';
import type { PatternBudget } from '../../patterns/pattern-matcher.js';
import type { ValueValidation } from '../../schema/value-validation.js';
import { stringifyJson } from '../json/stringify-json.js';
import { isUnchanged, type OldValue, oldElements, oldMember } from './correlated-value.js';
import { compileJunctors } from './junctors.js';
import { isWhole, validateNumber } from './validate-number.js';
import {
  brokenRule,
  missing,
  notAllowed,
  notListed,
  tooLong,
  tooMany,
  type ValueError,
  wrongType,
} from './value-error.js';
import { formatCheck } from './value-format.js';
import { takeResult, type ValidateValue, ValidationEffort, type ValueResult } from './value-result.js';
import { typeCheck } from './value-type.js';

/** Comparisons with entries of an enum that take as long as the checks of a value. */
const COMPARISONS_AT_ONCE = 4;

/** Dependencies of all parts of a validator. */
interface ValidationContext {
  readonly compilePattern: CompilePattern;
  readonly effort: ValidationEffort;
}

/** Checks a value and adds errors to `result`. */
type Check = (value: unknown, path: string, result: ValueResult, old: OldValue | undefined) => void;
/** Validates the values of a kind. */
export interface ValueValidator {
  /** `at` is the path of `value`: FieldPath.none for a whole object. */
  validate(value: unknown, at: FieldPath): readonly FieldError[];
  /** The same for an update: an unchanged value may stay invalid. */
  validateUpdate(value: unknown, old: unknown, at: FieldPath): readonly FieldError[];
}

/**
 * A validator that compiles each part for its first value. Errors come in the order of sorted keys; an invalid pattern
 * is one of them.
 *
 * Upstream: k8s.io/kube-openapi/pkg/validation/validate, k8s.io/apiextensions-apiserver/pkg/apiserver/validation
 */
export function valueValidator(validation: ValueValidation, compilePattern: CompilePattern): ValueValidator {
  let budget: PatternBudget;
  const known = new Map<string, MatchPattern>();
  const compiled = (pattern: string): MatchPattern => {
    const found = known.get(pattern);
    if (found !== undefined) return found;
    const matches = compilePattern(pattern);
    budget.left -= matches.cost;
    known.set(pattern, matches);
    return matches;
  };
  const effort = new ValidationEffort();
  const validate = onFirstValue(validation, {
    effort,
    compilePattern: (pattern) => {
      const matches = compiled(pattern);
      return Object.assign((text: string) => matches(text, budget), { cost: matches.cost });
    },
  });
  const validated = (value: unknown, at: FieldPath, before?: OldValue): readonly FieldError[] => {
    budget = newPatternBudget();
    return effort.bounded(at, () => reported(validate(value, '', before).errors, at));
  };
  return {
    validate: (value, at) => validated(value, at),
    validateUpdate: (value, old, at) =>
      validated(value, at, old === undefined ? undefined : { value: old, schema: validation }),
  };
}

/**
 * The errors of a value without duplicates, which junctors produce. Of very many errors, those that fit into a response
 * and the number of the others, as far as they were counted.
 */
function reported(errors: readonly ValueError[], at: FieldPath): readonly FieldError[] {
  const seen = new Map<string, FieldError>();
  let size = 0;
  let made = 0;
  while (made < errors.length && seen.size < MAX_ERRORS && size < MAX_ERROR_TEXT) {
    const fieldError = (errors[made++] as ValueError).toFieldError(at);
    const message = fieldErrorMessage(fieldError);
    if (seen.has(message)) continue;
    seen.set(message, fieldError);
    size += message.length;
  }
  if (made === errors.length) return [...seen.values()];
  return [...seen.values(), furtherFieldErrors(errors.length - made, errors.length >= MAX_FIELD_ERRORS_MADE)];
}

/** Compiles a node on demand: most of a large schema never sees a value, and there are many large schemas. */
function onFirstValue(rules: ValueValidation, context: ValidationContext): ValidateValue {
  const validate = allOnFirstValue(rules, context);
  return (value, path, old) => {
    const result = validate(value, path, old);
    const unchanged = old !== undefined && result.errors.length > 0 && isUnchanged(value, old);
    return unchanged ? { errors: [], matches: result.matches } : result;
  };
}

/** The same for rules that also hold for unchanged values. */
function allOnFirstValue(rules: ValueValidation, context: ValidationContext): ValidateValue {
  let validate: ValidateValue | undefined;
  return (value, path, old) => {
    validate ??= compileValidation(rules, context);
    return validate(value, path, old);
  };
}

/**
 * Compiles one node, the checks of a type for its first value. A node may be one of tens of thousands of alternatives,
 * and most values have one type.
 */
function compileValidation(rules: ValueValidation, context: ValidationContext): ValidateValue {
  const { effort } = context;
  const checkType = typeCheck(rules);
  const checkEnum = enumCheck(rules, effort);
  const checkJunctors = compileJunctors(rules, (nested) => allOnFirstValue(nested, context));
  const ofText = onFirstCall(() => stringCheck(rules, context.compilePattern));
  const ofNumber = onFirstCall(() => numberCheck(rules));
  const ofList = onFirstCall(() => listCheck(rules, context));
  const ofObject = onFirstCall(() => objectCheck(rules, context));
  const checkNonNull: Check = (value, path, result, old) => {
    checkType?.(value, path, result);
    checkJunctors(value, path, result);
    if (typeof value === 'string') ofText(value, path, result, old);
    else if (Array.isArray(value)) ofList(value, path, result, old);
    else if (typeof value === 'number' || typeof value === 'bigint') ofNumber(value, path, result, old);
    checkEnum(value, path, result, old);
    if (isMembers(value)) ofObject(value, path, result, old);
    result.matches += 2;
  };
  return (value, path, old) => {
    effort.spend(1);
    const result: ValueResult = { errors: [], matches: 0 };
    if (value === null) {
      if (checkType === undefined) result.matches++;
      else checkType(value, path, result);
      checkEnum(value, path, result, old);
    } else checkNonNull(value, path, result, old);
    if (result.errors.length > 0) effort.spend(1);
    return result;
  };
}

/** A check that is made for its first value. */
function onFirstCall(make: () => Check): Check {
  let made: Check | undefined;
  return (value, path, result, old) => {
    made ??= make();
    made(value, path, result, old);
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
    result.matches += hasFormat === undefined ? 1 : 2;
  };
}

/** Returns the pattern that a text does not match, or the reason why the pattern is unusable. */
function mismatchOf(pattern: string, compilePattern: CompilePattern): (text: string) => string | undefined {
  let matches: ReturnType<CompilePattern>;
  try {
    matches = compilePattern(pattern);
  } catch (error) {
    const unusable = unusablePattern(pattern, error);
    return () => unusable;
  }
  return (text) => {
    try {
      return matches(text) ? undefined : pattern;
    } catch (error) {
      return unusablePattern(pattern, error);
    }
  };
}

function unusablePattern(pattern: string, error: unknown): string {
  if (!(error instanceof PatternError)) throw error;
  return `${pattern}, but pattern is invalid: ${error.message}`;
}

function numberCheck(rules: ValueValidation): Check {
  return (value, path, result) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return;
    result.errors.push(...validateNumber(rules, value, path));
    result.matches += 2;
  };
}

const allowsAll: Check = () => {};

function enumCheck({ enum: values }: ValueValidation, effort: ValidationEffort): Check {
  if (values === undefined || values.length === 0) return allowsAll;
  const texts = new Set(values.filter((one) => typeof one === 'string'));
  const found = (value: unknown) => {
    // Upstream never finds a null in the list.
    if (value === null) return false;
    if (typeof value === 'string') return texts.has(value);
    effort.spend(values.length / COMPARISONS_AT_ONCE);
    return values.some((one) => isListed(value, one));
  };
  return (value, path, result) => {
    if (!found(value)) result.errors.push(notListed(path, value, values));
  };
}

/**
 * True when a value equals an entry of an enum after Go's conversion to the entry's type. A double loses its fraction
 * where the entry is an integer. An integer becomes the character of that number where the entry is a string.
 */
function isListed(value: unknown, one: unknown): boolean {
  if (typeof value === 'number' && isWhole(one)) return isWhole(Math.trunc(value)) && Number(one) === Math.trunc(value);
  if (typeof one === 'string' && isWhole(value)) {
    return value >= 0 && value <= 0x10ffff && String.fromCodePoint(Number(value)) === one;
  }
  return equalJson(one, value);
}

function listCheck(rules: ValueValidation, context: ValidationContext): Check {
  const { minItems, maxItems, uniqueItems } = rules;
  const item = rules.items === undefined ? undefined : onFirstValue(rules.items, context);
  return (value, path, result, old) => {
    if (!Array.isArray(value)) return;
    if (item !== undefined) {
      const before = oldElements(old);
      for (let i = 0; i < value.length && !isFull(result); i++) {
        takeResult(result, item(value[i], `${path}[${i}]`, before?.(value[i])));
      }
    }
    if (minItems !== undefined && value.length < minItems) {
      result.errors.push(brokenRule(path, value.length, `should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && value.length > maxItems) result.errors.push(tooMany(path, value.length, maxItems));
    if (uniqueItems === true && new Set(value.map(stringifyJson)).size < value.length) {
      result.errors.push(brokenRule(path, '', "shouldn't contain duplicates"));
    }
    result.matches += 2;
  };
}

function objectCheck(rules: ValueValidation, context: ValidationContext): Check {
  const { minProperties, maxProperties, additionalProperties, required = [] } = rules;
  const properties = new Map(
    [...(rules.properties ?? [])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, nested]) => [name, onFirstValue(nested, context)] as const),
  );
  const rest = typeof additionalProperties === 'object' ? onFirstValue(additionalProperties, context) : undefined;
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
    const before = (name: string) => (path === '' && isTypeMeta(name) ? undefined : oldMember(old, name));
    for (const name of names.sort()) {
      if (isFull(result)) break;
      if (properties.has(name)) continue;
      if (rest !== undefined) takeResult(result, rest(value[name], `${path}.${name}`, before(name)));
      else if (additionalProperties === false) result.errors.push(notAllowed(path, name));
    }
    for (const [name, validate] of properties) {
      if (isFull(result)) break;
      if (!Object.hasOwn(value, name)) continue;
      takeResult(result, validate(value[name], path === '' ? name : `${path}.${name}`, before(name)));
    }
    for (const name of required) if (!Object.hasOwn(value, name)) result.errors.push(missing(`${path}.${name}`));
    result.matches++;
  };
}

/**
 * True for apiVersion and kind of the object itself: both states were converted to one version, so their old values are
 * lost.
 */
function isTypeMeta(name: string): boolean {
  return name === 'apiVersion' || name === 'kind';
}

/** True when enough errors are found to stop: a list of 3 MiB can be wrong in a million places. */
function isFull({ errors }: ValueResult): boolean {
  return errors.length >= MAX_FIELD_ERRORS_MADE;
}
