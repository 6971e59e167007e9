import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldDuplicate, fieldRequired } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { validateLabelName } from '@apiserver/apimachinery/validation';

/** The values of a term by key; order is irrelevant. */
type Values = Readonly<Record<string, readonly string[]>>;

/**
 * Validates topologies for provisioning: distinct terms with distinct keys.
 * Upstream: validateAllowedTopologies of pkg/apis/storage/validation/validation.go
 */
export function validateAllowedTopologies(terms: readonly TopologySelectorTerm[], path: FieldPath): FieldError[] {
  // Upstream compares with as many empty terms as there are terms, so any empty term is a duplicate.
  const seen: Values[] = terms.map(() => ({}));
  return terms.flatMap((term, i) => {
    const { values, errors } = validateTerm(term, path.index(i));
    const expressions = path.index(i).child('matchLabelExpressions');
    const duplicates = seen.filter((other) => equalJson(other, values)).map(() => fieldDuplicate(expressions, ''));
    seen.push(values);
    return [...errors, ...duplicates];
  });
}

/** Upstream: ValidateTopologySelectorTerm of pkg/apis/core/validation/validation.go */
function validateTerm({ matchLabelExpressions = [] }: TopologySelectorTerm, path: FieldPath) {
  const expressions = path.child('matchLabelExpressions');
  const values: Record<string, readonly string[]> = {};
  const errors = matchLabelExpressions.flatMap((requirement, i) => {
    const { key } = requirement;
    const faults = validateRequirement(requirement, expressions.index(i));
    if (Object.hasOwn(values, key)) faults.push(fieldDuplicate(expressions.index(i).child('key'), key));
    values[key] = [...new Set(requirement.values)].sort();
    return faults;
  });
  return { values, errors };
}

function validateRequirement({ key, values }: TopologySelectorLabelRequirement, path: FieldPath): FieldError[] {
  const valuesPath = path.child('values');
  const list = values ?? [];
  return [
    ...(list.length === 0 ? [fieldRequired(valuesPath, '')] : []),
    ...list.flatMap((value, i) => (list.indexOf(value) < i ? [fieldDuplicate(valuesPath.index(i), value)] : [])),
    ...validateLabelName(key, path.child('key')),
  ];
}
