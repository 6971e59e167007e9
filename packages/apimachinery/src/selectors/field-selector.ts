/** The fields of an object that can be selected by, each with its text value. */
export type Fields = Readonly<Record<string, string>>;

/** One condition of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Rewrites a field's name and value, for example from one API version to another; throws what the client is told. */
export type FieldTransform = (field: string, value: string) => { readonly field: string; readonly value: string };

/**
 * A predicate on an object's selectable fields: all its requirements hold. Immutable.
 *
 * Upstream: k8s.io/apimachinery/pkg/fields/selector.go
 */
export interface FieldSelector {
  /** Sorted by their text. */
  readonly requirements: readonly FieldRequirement[];
  /** Whether every object is selected. */
  readonly empty: boolean;
  /** A field that is not in `fields` counts as empty. */
  matches(fields: Fields): boolean;
  /** The selector with every requirement rewritten. Throws what `transform` throws. */
  transform(transform: FieldTransform): FieldSelector;
  /** The one value the field must have, if there is an equality on it. */
  requiresExactMatch(field: string): string | undefined;
  /** The text form, requirements joined by commas. Values stand as they were parsed, without escapes, as upstream. */
  toString(): string;
}
