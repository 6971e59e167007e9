import { appendAll } from '../../field/append-all.js';
import type { ValueValidation } from '../../schema/value-validation.js';
import { quote } from '../../text/quote.js';
import type { OldValue } from './correlated-value.js';
import { withoutField } from './value-error.js';
import type { ValidateValue, ValueResult } from './value-result.js';

/**
 * The check of anyOf, oneOf, allOf and not. Ratcheting applies to values below this one, not to this value itself.
 *
 * Upstream: k8s.io/kube-openapi/pkg/validation/validate/schema_props.go
 */
export function compileJunctors(
  rules: ValueValidation,
  compile: (nested: ValueValidation) => ValidateValue,
): (value: unknown, path: string, result: ValueResult, old: OldValue | undefined) => void {
  const any = (rules.anyOf ?? []).map(compile);
  const one = (rules.oneOf ?? []).map(compile);
  const all = (rules.allOf ?? []).map(compile);
  const not = rules.not === undefined ? undefined : compile(rules.not);
  return (value, path, result, old) => {
    const at: Place = { value, path, old };
    if (any.length > 0) checkAny(any, at, result);
    if (one.length > 0) checkOne(one, at, result);
    if (all.length > 0) checkAll(all, at, result);
    if (not !== undefined && not(value, path, old).errors.length === 0) {
      result.errors.push(withoutField(`${quote(path)} must not validate the schema (not)`));
    }
    result.matches += 2;
  };
}

/** The checked value, its path and its old value. */
interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly old: OldValue | undefined;
}

function checkAny(validators: readonly ValidateValue[], { value, path, old }: Place, result: ValueResult): void {
  let best: ValueResult | undefined;
  for (const validate of validators) {
    const found = validate(value, path, old);
    if (found.errors.length === 0) {
      result.matches += found.matches;
      return;
    }
    if (best === undefined || found.matches > best.matches) best = found;
  }
  result.errors.push(withoutField(`${quote(path)} must validate at least one schema (anyOf)`));
  take(result, best);
}

function checkOne(validators: readonly ValidateValue[], { value, path, old }: Place, result: ValueResult): void {
  const found = validators.map((validate) => validate(value, path, old));
  const valid = found.filter(({ errors }) => errors.length === 0);
  if (valid.length === 1) {
    take(result, valid[0]);
    return;
  }
  const text = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  result.errors.push(withoutField(`${quote(path)} must validate one and only one schema (oneOf). ${text}`));
  if (valid.length > 0) return;
  take(
    result,
    found.reduce((best, candidate) => (candidate.matches > best.matches ? candidate : best)),
  );
}

function checkAll(validators: readonly ValidateValue[], { value, path, old }: Place, result: ValueResult): void {
  let valid = 0;
  for (const validate of validators) {
    const found = validate(value, path, old);
    if (found.errors.length === 0) valid++;
    take(result, found);
  }
  if (valid === validators.length) return;
  const none = valid === 0 ? '. None validated' : '';
  result.errors.push(withoutField(`${quote(path)} must validate all the schemas (allOf)${none}`));
}

function take(result: ValueResult, found: ValueResult | undefined): void {
  if (found === undefined) return;
  appendAll(result.errors, found.errors);
  result.matches += found.matches;
}
