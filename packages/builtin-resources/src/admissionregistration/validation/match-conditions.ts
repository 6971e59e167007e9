import type { MatchCondition } from '@apiserver/api/admissionregistration/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldRequired,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import { trimSpace } from '@apiserver/apimachinery/text';
import { validateQualifiedName } from '../../core/validation/dns-fields.js';
import { type AdmissionExpression, type CheckAt, isBlank } from './expression-checks.js';

const MAX_CONDITIONS = 64;

/**
 * Validates match conditions. Do not call it for conditions that an update leaves as they are stored.
 * Upstream: validateMatchConditions of pkg/apis/admissionregistration/validation/validation.go
 */
export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  check: CheckAt,
  path: FieldPath,
): FieldError[] {
  const names = new Set<string>();
  const tooMany = conditions.length > MAX_CONDITIONS ? [fieldTooMany(path, conditions.length, MAX_CONDITIONS)] : [];
  const errors = conditions.flatMap(({ name, expression }, i) => {
    const at = path.index(i);
    const isDuplicate = name !== '' && names.has(name);
    names.add(name);
    return [
      ...(isBlank(expression) ? [fieldRequired(at.child('expression'), '')] : check(at.child('expression'))),
      ...(name === '' ? [fieldRequired(at.child('name'), '')] : validateQualifiedName(name, at.child('name'))),
      ...(isDuplicate ? [fieldDuplicate(at.child('name'), name)] : []),
    ];
  });
  return [...tooMany, ...errors];
}

/** The expressions of match conditions; they are compiled without the spaces around them. */
export function* matchExpressions(
  conditions: readonly MatchCondition[],
  path: FieldPath,
): Generator<AdmissionExpression> {
  for (const [i, { expression }] of conditions.entries()) {
    if (!isBlank(expression)) {
      const text = trimSpace(expression);
      yield { path: path.index(i).child('expression'), text, purpose: 'condition', stateless: true };
    }
  }
}
