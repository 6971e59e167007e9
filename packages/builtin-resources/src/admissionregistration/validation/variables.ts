import type { Variable } from '@apiserver/api/admissionregistration/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { type AdmissionExpression, type CheckAt, isBlank } from './expression-checks.js';

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import'],
  ...['let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

/** Upstream: validateVariable of pkg/apis/admissionregistration/validation/validation.go */
export function validateVariables(variables: readonly Variable[], check: CheckAt, path: FieldPath): FieldError[] {
  return variables.flatMap(({ name, expression }, i) => {
    const at = path.index(i);
    const expressionPath = at.child('expression');
    return [
      ...validateName(name, at.child('name')),
      ...(isBlank(expression) ? [fieldRequired(expressionPath, 'expression is not specified')] : check(expressionPath)),
    ];
  });
}

function validateName(name: string, path: FieldPath): FieldError[] {
  if (isBlank(name)) return [fieldRequired(path, 'name is not specified')];
  if (IDENTIFIER.test(name) && !RESERVED.has(name)) return [];
  return [fieldInvalid(path, name, 'must be a valid CEL identifier')];
}

/** The expressions of variables, in their order. */
export function* variableExpressions(variables: readonly Variable[], path: FieldPath): Generator<AdmissionExpression> {
  for (const [i, { name, expression }] of variables.entries()) {
    if (!isBlank(expression)) {
      yield { path: path.index(i).child('expression'), text: expression, purpose: 'variable', variable: name };
    }
  }
}
