/** One step of a path. */
export type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly indexes: readonly Slice[] }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | { readonly type: 'filter'; readonly filter: Filter }
  | { readonly type: 'union'; readonly names: readonly string[] };

/** `[start:end:step]`; an index alone is a slice of one. */
export interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number;
  /** A single element that must be there. */
  readonly single: boolean;
}

/** One side of a comparison: a path from the element, or a constant. */
export type Operand = { readonly path: readonly Step[] } | { readonly value: unknown };

/** `?(@.a == "b")`, or a path alone: whether it leads anywhere. */
export interface Filter {
  readonly left: Operand;
  readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>=' | 'exists';
  readonly right: Operand | undefined;
}
