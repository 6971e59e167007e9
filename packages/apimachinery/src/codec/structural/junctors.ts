import type { ValueValidation } from '../../schema/value-validation.js';
import { quote } from '../../text/quote.js';
import { withoutField } from './value-error.js';
import { takeResult, type ValidateValue, type ValueResult } from './value-result.js';

/**
 * The check of anyOf, oneOf, allOf and not. They have no old values: ratcheting applies neither to this value nor to
 * those below it.
 *
 * Upstream: k8s.io/kube-openapi/pkg/validation/validate/schema_props.go
 */
export function compileJunctors(
  rules: ValueValidation,
  compile: (nested: ValueValidation) => ValidateValue,
): (value: unknown, path: string, result: ValueResult) => void {
  if (!hasJunctors(rules)) return noJunctors;
  const any = (rules.anyOf ?? []).map(compile);
  const one = (rules.oneOf ?? []).map(compile);
  const all = (rules.allOf ?? []).map(compile);
  const not = rules.not === undefined ? undefined : compile(rules.not);
  return (value, path, result) => {
    const at: Place = { value, path };
    if (any.length > 0) checkAny(any, at, result);
    if (one.length > 0) checkOne(one, at, result);
    if (all.length > 0) checkAll(all, at, result);
    if (not !== undefined && not(value, path).errors.length === 0) {
      result.errors.push(withoutField(() => `${quote(path)} must not validate the schema (not)`));
    }
    result.matches += 2;
  };
}

function hasJunctors({ anyOf, oneOf, allOf, not }: ValueValidation): boolean {
  return anyOf !== undefined || oneOf !== undefined || allOf !== undefined || not !== undefined;
}

function noJunctors(_value: unknown, _path: string, result: ValueResult): void {
  result.matches += 2;
}

/** The checked value and its path. */
interface Place {
  readonly value: unknown;
  readonly path: string;
}

function checkAny(validators: readonly ValidateValue[], { value, path }: Place, result: ValueResult): void {
  let best: ValueResult | undefined;
  for (const validate of validators) {
    const found = validate(value, path);
    if (found.errors.length === 0) {
      result.matches += found.matches;
      return;
    }
    if (best === undefined || found.matches > best.matches) best = found;
  }
  result.errors.push(withoutField(() => `${quote(path)} must validate at least one schema (anyOf)`));
  if (best !== undefined) takeResult(result, best);
}

function checkOne(validators: readonly ValidateValue[], { value, path }: Place, result: ValueResult): void {
  const found = validators.map((validate) => validate(value, path));
  const valid = found.filter(({ errors }) => errors.length === 0);
  const [only] = valid;
  if (only !== undefined && valid.length === 1) {
    takeResult(result, only);
    return;
  }
  const text = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  result.errors.push(withoutField(() => `${quote(path)} must validate one and only one schema (oneOf). ${text}`));
  if (valid.length > 0) return;
  takeResult(
    result,
    found.reduce((best, candidate) => (candidate.matches > best.matches ? candidate : best)),
  );
}

function checkAll(validators: readonly ValidateValue[], { value, path }: Place, result: ValueResult): void {
  let valid = 0;
  for (const validate of validators) {
    const found = validate(value, path);
    if (found.errors.length === 0) valid++;
    takeResult(result, found);
  }
  if (valid === validators.length) return;
  const none = valid === 0 ? '. None validated' : '';
  result.errors.push(withoutField(() => `${quote(path)} must validate all the schemas (allOf)${none}`));
}
