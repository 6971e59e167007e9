import type { ExpressionWarning, ValidatingAdmissionPolicyStatus } from '@apiserver/api/admissionregistration/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { isParseError, trimSpace } from '@apiserver/apimachinery/text';
import { validateConditions } from '@apiserver/apimachinery/validation';
import { parseJsonPath } from '@apiserver/resource-kit';

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
    ...validateFieldRef(trimSpace(fieldRef), path.child('fieldRef')),
  ];
}

/** A path is only parsed: policies of other versions may have other fields. */
function validateFieldRef(fieldRef: string, path: FieldPath): FieldError[] {
  if (fieldRef === '') return [fieldRequired(path, '')];
  try {
    parseJsonPath(fieldRef);
    return [];
  } catch (error) {
    if (!isParseError(error)) throw error;
    return [fieldInvalid(path, fieldRef, `invalid JSONPath: ${error.message}`)];
  }
}
