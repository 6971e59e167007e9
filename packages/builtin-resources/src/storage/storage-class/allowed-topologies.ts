import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldRequired,
  seenBefore,
} from '@apiserver/apimachinery/field';
import { validateLabelName } from '@apiserver/apimachinery/validation';

/**
 * Validates topologies for provisioning: distinct terms with distinct keys.
 * Upstream: validateAllowedTopologies of pkg/apis/storage/validation/validation.go
 */
export function validateAllowedTopologies(terms: readonly TopologySelectorTerm[], path: FieldPath): FieldError[] {
  // Upstream compares with as many empty terms as there are terms, so any empty term is a duplicate.
  const counts = new Map([[identityOf(new Map()), terms.length]]);
  return terms.flatMap((term, i) => {
    const { values, errors } = validateTerm(term, path.index(i));
    const expressions = path.index(i).child('matchLabelExpressions');
    const identity = identityOf(values);
    const earlier = counts.get(identity) ?? 0;
    counts.set(identity, earlier + 1);
    for (let count = 0; count < earlier; count++) errors.push(fieldDuplicate(expressions, ''));
    return errors;
  });
}

/** The values of a term by key. */
type Values = ReadonlyMap<string, readonly string[]>;

/** Equal for terms with the same values; their order is irrelevant. */
function identityOf(values: Values): string {
  return JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Upstream: ValidateTopologySelectorTerm of pkg/apis/core/validation/validation.go */
function validateTerm({ matchLabelExpressions = [] }: TopologySelectorTerm, path: FieldPath) {
  const expressions = path.child('matchLabelExpressions');
  const values = new Map<string, readonly string[]>();
  const errors = matchLabelExpressions.flatMap((requirement, i) => {
    const { key } = requirement;
    const faults = validateRequirement(requirement, expressions.index(i));
    if (values.has(key)) faults.push(fieldDuplicate(expressions.index(i).child('key'), key));
    values.set(key, [...new Set(requirement.values)].sort());
    return faults;
  });
  return { values, errors };
}

function validateRequirement({ key, values }: TopologySelectorLabelRequirement, path: FieldPath): FieldError[] {
  const valuesPath = path.child('values');
  const list = values ?? [];
  const isRepeated = seenBefore<string>();
  return [
    ...(list.length === 0 ? [fieldRequired(valuesPath, '')] : []),
    ...list.flatMap((value, i) => (isRepeated(value) ? [fieldDuplicate(valuesPath.index(i), value)] : [])),
    ...validateLabelName(key, path.child('key')),
  ];
}
