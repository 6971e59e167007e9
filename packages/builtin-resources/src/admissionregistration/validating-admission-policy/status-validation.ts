import type { ExpressionWarning, ValidatingAdmissionPolicyStatus } from '@apiserver/api/admissionregistration/v1';
import { type FieldError, FieldPath, fieldRequired } from '@apiserver/apimachinery/field';
import { validateConditions } from '@apiserver/apimachinery/validation';
import { isBlank } from '../validation/expression-checks.js';

const STATUS = FieldPath.of('status');
const WARNINGS = STATUS.child('typeChecking').child('expressionWarnings');

/** Upstream: validateValidatingAdmissionPolicyStatus of pkg/apis/admissionregistration/validation/validation.go */
export function validatePolicyStatus({
  typeChecking,
  conditions = [],
}: ValidatingAdmissionPolicyStatus): readonly FieldError[] {
  return [
    ...(typeChecking?.expressionWarnings ?? []).flatMap((warning, i) => validateWarning(warning, WARNINGS.index(i))),
    ...validateConditions(conditions, STATUS.child('conditions')),
  ];
}

function validateWarning({ warning, fieldRef }: ExpressionWarning, path: FieldPath): FieldError[] {
  return [
    ...(warning === '' ? [fieldRequired(path.child('warning'), '')] : []),
    ...(isBlank(fieldRef) ? [fieldRequired(path.child('fieldRef'), '')] : []),
  ];
}
