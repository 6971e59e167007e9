import type { Double, Int, Uint } from '../values/number.js';

/** A constant of the source. */
export type Constant = null | boolean | Int | Uint | Double | string | Uint8Array;

/**
 * An expression of the abstract syntax tree. Each has an id of its own within the tree, by which its place is found.
 */
export type Expression =
  | Literal
  | Identifier
  | Select
  | Call
  | ListLiteral
  | MapLiteral
  | StructLiteral
  | Comprehension
  | Unspecified;

/** A constant. */
export interface Literal {
  readonly kind: 'literal';
  readonly id: number;
  readonly value: Constant;
}

/** A variable, or the first name of a qualified one. */
export interface Identifier {
  readonly kind: 'identifier';
  readonly id: number;
  /** With a leading dot where the source has one. */
  readonly name: string;
}

/** `operand.field`, or `has(operand.field)` if `test` is true. */
export interface Select {
  readonly kind: 'select';
  readonly id: number;
  readonly operand: Expression;
  readonly field: string;
  readonly test: boolean;
}

/** A call of a function, a method or an operator. */
export interface Call {
  readonly kind: 'call';
  readonly id: number;
  readonly name: string;
  /** The receiver of `target.name(…)`; none for `name(…)` and operators. */
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

/** `[a, b]` */
export interface ListLiteral {
  readonly kind: 'list';
  readonly id: number;
  readonly elements: readonly Expression[];
  /** Indices of the elements that are optional: `[?a]`. */
  readonly optional: ReadonlySet<number>;
}

/** `key: value`; `?key: value` if it is optional. */
export interface MapEntry {
  readonly id: number;
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

/** `{key: value}` */
export interface MapLiteral {
  readonly kind: 'map';
  readonly id: number;
  readonly entries: readonly MapEntry[];
}

/** `name: value`; `?name: value` if it is optional. */
export interface StructField {
  readonly id: number;
  readonly name: string;
  readonly value: Expression;
  readonly optional: boolean;
}

/** `Type{name: value}` */
export interface StructLiteral {
  readonly kind: 'struct';
  readonly id: number;
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/** A fold over a list or a map, as macros such as `all` and `map` expand to. */
export interface Comprehension {
  readonly kind: 'comprehension';
  readonly id: number;
  readonly range: Expression;
  readonly variable: string;
  /** Second variable of the macros that take index and element, or key and value. */
  readonly secondVariable: string | undefined;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** The place of an expression that could not be made, in a tree with errors. */
interface Unspecified {
  readonly kind: 'unspecified';
  readonly id: number;
}

/** Name of the accumulator that macros use; no source can name it. */
export const ACCUMULATOR = '@result';

/** Name of an iteration variable that nothing reads. */
export const UNUSED_VARIABLE = '#unused';
