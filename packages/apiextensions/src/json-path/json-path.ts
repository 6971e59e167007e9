/** Actions, one after another; text between them says nothing here. `{.a}` has one, and so has every sensible column. */
export type JsonPath = readonly Path[];

/** The steps of one action, in order. */
export type Path = readonly Step[];

/** One step of a path. */
export type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'slice'; readonly slice: Slice }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | { readonly type: 'filter'; readonly filter: Filter }
  | { readonly type: 'union'; readonly paths: readonly Path[] }
  | { readonly type: 'constant'; readonly value: unknown }
  /** A keyword, or what would have been one. */
  | { readonly type: 'identifier'; readonly name: string };

/** `[start:end:step]`; an index alone is a slice of one. */
export interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number | undefined;
  /** The end follows from the start: it was not written. */
  readonly single: boolean;
}

/** `?(@.a == "b")`, or a path alone, whose operator is `exists`. */
export interface Filter {
  readonly left: Path;
  /** As written, sense or nonsense. */
  readonly operator: string;
  readonly right: Path;
}

/** A number with a type that JSON does not have: Go's `int` of an expression, a byte of a text, a double that is whole. */
export class TypedNumber {
  readonly kind: 'int' | 'uint' | 'float';
  readonly value: number;

  constructor(kind: TypedNumber['kind'], value: number) {
    this.kind = kind;
    this.value = value;
  }
}
