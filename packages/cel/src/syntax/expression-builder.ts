import {
  type Call,
  type Comprehension,
  type Constant,
  type Expression,
  type Identifier,
  type ListLiteral,
  type Literal,
  type MapEntry,
  type MapLiteral,
  type Select,
  type StructField,
  type StructLiteral,
  UNUSED_VARIABLE,
} from '../ast/expression.js';

/** Most nodes of one tree: macros that copy their target could double it with each call. */
export const MAX_NODES = 200_000;

/** The expansion of macros would make a tree larger than the bound. */
export class TreeTooLarge extends Error {
  override readonly name = 'TreeTooLarge';

  constructor() {
    super(`expression has more than ${MAX_NODES} nodes after the expansion of macros`);
  }
}

const NONE_OPTIONAL: ReadonlySet<number> = new Set();

/** Makes the nodes of one abstract syntax tree, and keeps the place of each. */
export class ExpressionBuilder {
  /** Offset in the source by id of a node, in UTF-16 units. Ids begin at 1. */
  readonly offsets: number[] = [0];
  readonly #maxNodes: number;

  /** The builder of a wrong expression makes some nodes twice, so it may make more of them. */
  constructor(maxNodes = MAX_NODES) {
    this.#maxNodes = maxNodes;
  }

  /** A new id for a node at an offset. Throws TreeTooLarge. */
  id(offset: number): number {
    if (this.offsets.length > this.#maxNodes) throw new TreeTooLarge();
    return this.offsets.push(offset) - 1;
  }

  literal(offset: number, value: Constant): Literal {
    return { kind: 'literal', id: this.id(offset), value };
  }

  identifier(offset: number, name: string): Identifier {
    return { kind: 'identifier', id: this.id(offset), name };
  }

  select(offset: number, operand: Expression, field: string): Select {
    return { kind: 'select', id: this.id(offset), operand, field, test: false };
  }

  call(offset: number, name: string, args: readonly Expression[]): Call {
    return { kind: 'call', id: this.id(offset), name, target: undefined, args };
  }

  list(offset: number, elements: readonly Expression[], optional: ReadonlySet<number> = NONE_OPTIONAL): ListLiteral {
    return { kind: 'list', id: this.id(offset), elements, optional };
  }

  map(offset: number, entries: readonly MapEntry[]): MapLiteral {
    return { kind: 'map', id: this.id(offset), entries };
  }

  struct(offset: number, typeName: string, fields: readonly StructField[]): StructLiteral {
    return { kind: 'struct', id: this.id(offset), typeName, fields };
  }

  /**
   * Joins terms of `&&` or `||` to a balanced tree, as upstream does; `offsets[i]` is that of the operator between the
   * terms i and i+1.
   */
  balanced(name: string, terms: readonly Expression[], offsets: readonly number[]): Expression {
    const ids = offsets.map((offset) => this.id(offset));
    const join = (low: number, high: number): Expression => {
      const middle = (low + high + 1) >> 1;
      const left = middle === low ? terms[middle] : join(low, middle - 1);
      const right = middle === high ? terms[middle + 1] : join(middle + 1, high);
      if (left === undefined || right === undefined) throw new TypeError('an operator has no term beside it');
      return { kind: 'call', id: ids[middle] ?? 0, name, target: undefined, args: [left, right] };
    };
    const [first] = terms;
    return offsets.length === 0 && first !== undefined ? first : join(0, offsets.length - 1);
  }
}

/** A fold, as macros ask for it. */
export type Fold = Omit<Comprehension, 'kind' | 'id'>;

/** Makes the nodes that a macro expands to. All of them have the place of the macro's call. */
export class MacroBuilder {
  readonly #builder: ExpressionBuilder;
  readonly #offset: number;

  constructor(builder: ExpressionBuilder, offset: number) {
    this.#builder = builder;
    this.#offset = offset;
  }

  literal(value: Constant): Literal {
    return this.#builder.literal(this.#offset, value);
  }

  identifier(name: string): Identifier {
    return this.#builder.identifier(this.#offset, name);
  }

  list(...elements: Expression[]): ListLiteral {
    return this.#builder.list(this.#offset, elements);
  }

  map(): MapLiteral {
    return this.#builder.map(this.#offset, []);
  }

  call(name: string, ...args: Expression[]): Call {
    return this.#builder.call(this.#offset, name, args);
  }

  memberCall(name: string, target: Expression, ...args: Expression[]): Call {
    return { ...this.#builder.call(this.#offset, name, args), target };
  }

  presenceTest(select: Select): Select {
    return { ...this.#builder.select(this.#offset, select.operand, select.field), test: true };
  }

  fold(fold: Fold): Comprehension {
    return { kind: 'comprehension', id: this.#builder.id(this.#offset), ...fold };
  }

  /** Binds a variable to a value in an expression, by a fold over nothing. */
  bind(variable: string, value: Expression, body: Expression): Comprehension {
    return this.fold({
      range: this.list(),
      variable: UNUSED_VARIABLE,
      secondVariable: undefined,
      accumulator: variable,
      initial: value,
      condition: this.literal(false),
      step: this.identifier(variable),
      result: body,
    });
  }

  /** A copy of an expression whose nodes have ids of their own, at the same places. */
  copy(expression: Expression): Expression {
    const id = this.#builder.id(this.#builder.offsets[expression.id] ?? 0);
    const copy = (part: Expression) => this.copy(part);
    switch (expression.kind) {
      case 'literal':
      case 'identifier':
      case 'unspecified':
        return { ...expression, id };
      case 'select':
        return { ...expression, id, operand: copy(expression.operand) };
      case 'call':
        return {
          ...expression,
          id,
          target: expression.target && copy(expression.target),
          args: expression.args.map(copy),
        };
      case 'list':
        return { ...expression, id, elements: expression.elements.map(copy) };
      case 'map': {
        const entries = expression.entries.map((entry) => ({
          ...entry,
          id: this.#builder.id(this.#offset),
          key: copy(entry.key),
          value: copy(entry.value),
        }));
        return { ...expression, id, entries };
      }
      case 'struct': {
        const fields = expression.fields.map((field) => ({
          ...field,
          id: this.#builder.id(this.#offset),
          value: copy(field.value),
        }));
        return { ...expression, id, fields };
      }
      case 'comprehension':
        return this.#copyFold(expression, id);
    }
  }

  #copyFold(fold: Comprehension, id: number): Comprehension {
    return {
      ...fold,
      id,
      range: this.copy(fold.range),
      initial: this.copy(fold.initial),
      condition: this.copy(fold.condition),
      step: this.copy(fold.step),
      result: this.copy(fold.result),
    };
  }
}
