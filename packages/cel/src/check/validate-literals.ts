import type { Call, Expression, ListLiteral, MapLiteral } from '../ast/expression.js';
import { compileLiteralsTogether } from '../patterns/regular-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import { type CelType, DYN, formatType, heldByOptional, isSameType, type TypeKind } from '../types/cel-type.js';
import { type FormatClause, FormatError, fillFormat } from '../values/format-string.js';
import type { CheckedExpression } from './check-expression.js';
import { childrenOf } from './descendants.js';
import { invalidLiteralArgument } from './literal-arguments.js';

/**
 * Checks the literals of an expression whose types are right. Elements of lists and maps are of one type, and the
 * arguments of a literal format string fit it. Literal durations, timestamps and regular expressions are valid. Returns
 * undefined if nothing is wrong.
 *
 * Upstream: github.com/google/cel-go/cel/validator.go, stringFormatValidator in
 * github.com/google/cel-go/ext/formatting.go
 */
export function validateLiterals(checked: CheckedExpression): ExpressionErrors | undefined {
  const errors = new ExpressionErrors(checked.source);
  const validator = new LiteralValidator(checked);
  validator.visit(checked.root, false);
  for (const { id, message } of validator.faults()) errors.addAt(checked.offsets[id] ?? -1, message);
  return errors.count > 0 ? errors : undefined;
}

interface Fault {
  readonly id: number;
  readonly message: string;
}

class LiteralValidator {
  readonly #checked: CheckedExpression;
  readonly #compile = compileLiteralsTogether();
  readonly #ofArguments: Fault[] = [];
  readonly #ofElements: Fault[] = [];
  readonly #ofFormats: Fault[] = [];

  constructor(checked: CheckedExpression) {
    this.#checked = checked;
  }

  /** All faults in upstream's order, which has a validator for each kind. Those at one place are reported so. */
  faults(): readonly Fault[] {
    return [...this.#ofArguments, ...this.#ofElements, ...this.#ofFormats];
  }

  /** Visits a node after those in it; `mixed` allows elements of several types, as in the arguments of `format`. */
  visit(expression: Expression, mixed: boolean): void {
    const inside = mixed || (expression.kind === 'call' && expression.name === 'format');
    for (const child of childrenOf(expression)) this.visit(child, inside);
    if (expression.kind === 'list' && !mixed) this.#list(expression);
    else if (expression.kind === 'map' && !mixed) this.#map(expression);
    else if (expression.kind === 'call') {
      this.#argument(expression);
      this.#format(expression);
    }
  }

  #typeOf(id: number): CelType {
    return this.#checked.types.get(id) ?? DYN;
  }

  /** Reports a type that differs from an expected one. Returns false if it does. */
  #same(id: number, expected: CelType, found: CelType): boolean {
    if (isSameType(expected, found)) return true;
    const message = `expected type '${formatType(expected)}' but found '${formatType(found)}'`;
    this.#ofElements.push({ id, message });
    return false;
  }

  #elementType(id: number, optional: boolean): CelType {
    const type = this.#typeOf(id);
    return optional ? (heldByOptional(type) ?? type) : type;
  }

  #argument(call: Call): void {
    // The name in the call may begin with a dot.
    const name = this.#checked.references.get(call.id)?.name ?? call.name;
    const invalid = invalidLiteralArgument(name, call, this.#compile);
    if (invalid !== undefined) this.#ofArguments.push({ id: invalid.id, message: `invalid ${name} argument` });
  }

  #list(list: ListLiteral): void {
    let expected: CelType | undefined;
    for (const [index, { id }] of list.elements.entries()) {
      const type = this.#elementType(id, list.optional.has(index));
      expected ??= type;
      if (!this.#same(id, expected, type)) return;
    }
  }

  #map(map: MapLiteral): void {
    const [first] = map.entries;
    if (first === undefined) return;
    const keyType = this.#typeOf(first.key.id);
    const valueType = this.#elementType(first.value.id, first.optional);
    for (const { key, value, optional } of map.entries) {
      this.#same(key.id, keyType, this.#typeOf(key.id));
      this.#same(value.id, valueType, this.#elementType(value.id, optional));
    }
  }

  #format(call: Call): void {
    const { target, args } = call;
    const [list] = args;
    if (call.name !== 'format' || target?.kind !== 'literal' || typeof target.value !== 'string') return;
    if (list?.kind !== 'list' || args.length !== 1) return;
    const { elements } = list;
    let used = 0;
    const take = () => {
      used++;
    };
    const format = (index: number, clause: FormatClause) => this.#clause(elements[index], clause);
    try {
      fillFormat(target.value, { size: elements.length, take, format });
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#ofFormats.push({ id: error.at ?? call.id, message: error.message });
      return;
    }
    if (elements.length <= used) return;
    const message = `too many arguments supplied to string.format (expected ${used}, got ${elements.length})`;
    this.#ofFormats.push({ id: call.id, message });
  }

  /** Checks the type of an argument for a clause. Throws a FormatError. */
  #clause(argument: Expression | undefined, { verb }: FormatClause): string {
    if (argument === undefined) return '';
    if (verb === 's') this.#printable(argument);
    else {
      const { kinds, message } = CLAUSES[verb];
      if (!this.#isOneOf(argument.id, kinds)) this.#refuse(argument.id, message);
    }
    return '';
  }

  #isOneOf(id: number, kinds: ReadonlySet<TypeKind>): boolean {
    const { kind } = this.#typeOf(id);
    return kind === 'dyn' || kinds.has(kind);
  }

  #refuse(id: number, message: string): never {
    throw new FormatError(`${message}, was given ${this.#typeOf(id).name}`, id);
  }

  #printable(argument: Expression): void {
    if (!this.#isOneOf(argument.id, PRINTABLE)) this.#refuse(argument.id, STRING_CLAUSE);
    if (argument.kind !== 'list' && argument.kind !== 'map') return;
    for (const part of childrenOf(argument)) this.#printable(part);
  }
}

const STRING_CLAUSE =
  'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
const PRINTABLE: ReadonlySet<TypeKind> = new Set<TypeKind>([
  'list',
  'map',
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'timestamp',
  'bytes',
  'duration',
  'type',
  'null',
]);

interface ClauseRule {
  readonly kinds: ReadonlySet<TypeKind>;
  readonly message: string;
}

const HEX: ClauseRule = {
  kinds: new Set<TypeKind>(['int', 'uint', 'string', 'bytes']),
  message: 'only integers, byte buffers, and strings can be formatted as hex',
};

/** The types that clauses other than `%s` take. A double may come as a string: `NaN`, `Infinity`. */
const CLAUSES: Readonly<Record<Exclude<FormatClause['verb'], 's'>, ClauseRule>> = {
  d: { kinds: new Set<TypeKind>(['int', 'uint']), message: 'decimal clause can only be used on integers' },
  f: { kinds: new Set<TypeKind>(['double', 'string']), message: 'fixed-point clause can only be used on doubles' },
  e: { kinds: new Set<TypeKind>(['double', 'string']), message: 'scientific clause can only be used on doubles' },
  b: {
    kinds: new Set<TypeKind>(['int', 'uint', 'bool']),
    message: 'only integers and bools can be formatted as binary',
  },
  x: HEX,
  X: HEX,
  o: { kinds: new Set<TypeKind>(['int', 'uint']), message: 'octal clause can only be used on integers' },
};
