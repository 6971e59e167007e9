import { type FieldSelector, type Fields, parseFieldSelector } from '@apiserver/apimachinery/selectors';

/** A field selector that records the fields of each object it matches. */
export function spiedFieldSelector(text: string, matched: (fields: Fields) => void): FieldSelector {
  const selector = parseFieldSelector(text);
  return {
    requirements: selector.requirements,
    empty: selector.empty,
    transform: (transform) => selector.transform(transform),
    requiresExactMatch: (field) => selector.requiresExactMatch(field),
    matches: (fields) => {
      matched(fields);
      return selector.matches(fields);
    },
  };
}
