import { type FieldSelector, type Fields, parseFieldSelector } from '@apiserver/apimachinery/selectors';

/** A field selector that tells the fields of each object it is asked about. */
export function spiedFieldSelector(text: string, asked: (fields: Fields) => void): FieldSelector {
  const selector = parseFieldSelector(text);
  return {
    requirements: selector.requirements,
    empty: selector.empty,
    transform: (transform) => selector.transform(transform),
    requiresExactMatch: (field) => selector.requiresExactMatch(field),
    matches: (fields) => {
      asked(fields);
      return selector.matches(fields);
    },
  };
}
