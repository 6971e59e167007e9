import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';

const CONDITIONS = FieldPath.of('status').child('conditions');

/**
 * Rules of the conditions of both kinds.
 * Upstream: ValidateFlowSchemaStatus and ValidatePriorityLevelConfigurationStatus of pkg/apis/flowcontrol/validation
 */
export function validateStatusConditions(conditions: readonly { readonly type?: string }[] = []): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap(({ type = '' }, i) => {
    const path = CONDITIONS.index(i).child('type');
    const isRepeated = seen.has(type);
    seen.add(type);
    return [
      ...(isRepeated ? [fieldDuplicate(path, printedAsJson(type))] : []),
      ...(type === '' ? [fieldRequired(path, '')] : []),
    ];
  });
}
