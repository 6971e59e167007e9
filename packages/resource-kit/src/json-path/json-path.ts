/** Actions, one after another; text between them is ignored. `{.a}` has one, as every sensible column. */
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
  /** A keyword, or an unknown one. */
  | { readonly type: 'identifier'; readonly name: string };

/** `[start:end:step]`; a single index is a slice of length one. */
export interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number | undefined;
  /** True if only an index was written. */
  readonly single: boolean;
}

/** `?(@.a == "b")`, or only a path, with the operator `exists`. */
export interface Filter {
  readonly left: Path;
  /** As written, valid or not. */
  readonly operator: string;
  readonly right: Path;
}

/** A number of a type that JSON lacks: Go's `int` in an expression, a byte of a string, an integral double. */
export class TypedNumber {
  readonly kind: 'int' | 'uint' | 'float';
  readonly value: number;

  constructor(kind: TypedNumber['kind'], value: number) {
    this.kind = kind;
    this.value = value;
  }
}
