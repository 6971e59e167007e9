import { getOwn } from '@apiserver/apimachinery/json';
import type {
  Call,
  Comprehension,
  Expression,
  ListLiteral,
  MapLiteral,
  Select,
  StructField,
  StructLiteral,
} from '../ast/expression.js';
import { Operator } from '../ast/operators.js';
import { findMessage, messageOfType } from '../messages/message-types.js';
import type { ParsedExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  ERROR,
  formatType,
  INT,
  isDynamic,
  isSameType,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  parameter,
  STRING,
  UINT,
} from '../types/cel-type.js';
import { Double, Uint } from '../values/number.js';
import type { Overload } from './declarations.js';
import { type CheckEnvironment, type Named, Scope } from './environment.js';
import { qualifiedName } from './qualified-name.js';
import { moreGeneral, Substitutions, unwrapOptional } from './substitutions.js';

/** The meaning of a name or a call. */
export type Reference =
  | { readonly kind: 'identifier'; readonly name: string }
  | {
      readonly kind: 'function';
      readonly name: string;
      /** True if the receiver in the source is a part of the function's name: `optional.of(1)`. */
      readonly namespaced: boolean;
      readonly overloads: readonly string[];
    };

/** An expression whose types are known. */
export interface CheckedExpression extends ParsedExpression {
  /** The type of each node, by its id. */
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
  readonly resultType: CelType;
}

/**
 * Checks the types of an expression, and finds the overloads of its calls.
 *
 * Upstream: github.com/google/cel-go/checker/checker.go
 */
export function checkExpression(
  parsed: ParsedExpression,
  environment: CheckEnvironment,
): CheckedExpression | ExpressionErrors {
  const errors = new ExpressionErrors(parsed.source);
  const checker = new Checker(parsed, environment, errors);
  checker.check(parsed.root);
  if (errors.count > 0) return errors;
  const types = checker.finalTypes();
  return { ...parsed, types, references: checker.references, resultType: types.get(parsed.root.id) ?? DYN };
}

class Checker {
  readonly references = new Map<number, Reference>();
  readonly #parsed: ParsedExpression;
  readonly #environment: CheckEnvironment;
  readonly #errors: ExpressionErrors;
  readonly #types = new Map<number, CelType>();
  readonly #bound = new Substitutions();
  #scope: Scope;
  #parameters = 0;

  constructor(parsed: ParsedExpression, environment: CheckEnvironment, errors: ExpressionErrors) {
    this.#parsed = parsed;
    this.#environment = environment;
    this.#errors = errors;
    this.#scope = new Scope(environment, environment.variables);
  }

  /** The types with all type parameters replaced: those that stand for nothing are dyn. */
  finalTypes(): ReadonlyMap<number, CelType> {
    for (const [id, type] of this.#types) this.#types.set(id, this.#bound.apply(type, true));
    return this.#types;
  }

  /** Checks a node and returns its type. */
  check(expression: Expression): CelType {
    const type = this.#typeOf(expression);
    this.#types.set(expression.id, type);
    return type;
  }

  #typeOf(expression: Expression): CelType {
    switch (expression.kind) {
      case 'literal':
        return constantType(expression.value);
      case 'identifier':
        return this.#identifier(expression.id, expression.name);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return this.#struct(expression);
      case 'comprehension':
        return this.#comprehension(expression);
      case 'unspecified':
        return ERROR;
    }
  }

  #report(id: number, message: string): CelType {
    this.#errors.addAt(this.#parsed.offsets[id] ?? -1, message);
    return ERROR;
  }

  #undeclared(id: number, name: string): CelType {
    return this.#report(id, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch(id: number, expected: CelType, found: CelType): CelType {
    return this.#report(id, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  #newParameter(): CelType {
    return parameter(`_var${this.#parameters++}`);
  }

  #identifier(id: number, name: string): CelType {
    const named = this.#scope.find(name);
    if (named === undefined) return this.#undeclared(id, name);
    this.references.set(id, { kind: 'identifier', name: named.name });
    return named.type;
  }

  #select(select: Select): CelType {
    const name = qualifiedName(select);
    const named = name === undefined ? undefined : this.#scope.find(name);
    if (named !== undefined) {
      this.references.set(select.id, { kind: 'identifier', name: named.name });
      return named.type;
    }
    const field = this.#field(select.id, select.operand, { name: select.field, optional: false });
    return select.test ? BOOL : this.#bound.apply(field);
  }

  #optionalSelect(call: Call): CelType {
    const [operand, field] = call.args;
    if (
      operand === undefined ||
      field?.kind !== 'literal' ||
      typeof field.value !== 'string' ||
      call.args.length !== 2
    ) {
      return this.#report(
        call.id,
        `unsupported optional field selection: incorrect signature. argument count: ${call.args.length}`,
      );
    }
    const type = this.#field(call.id, operand, { name: field.value, optional: true });
    const overloads = ['select_optional_field'];
    this.references.set(call.id, { kind: 'function', name: call.name, namespaced: false, overloads });
    return this.#bound.apply(type);
  }

  #field(id: number, operand: Expression, field: { readonly name: string; readonly optional: boolean }): CelType {
    const whole = this.#bound.apply(this.check(operand));
    const { type: target, optional } = unwrapOptional(whole);
    const found = this.#fieldType(id, target, field.name);
    return optional || field.optional ? optionalOf(found) : found;
  }

  #fieldType(id: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.parameters[1] ?? DYN;
      case 'struct':
        return this.#structField(id, target.name, field);
      case 'parameter':
        this.#bound.assign(DYN, target);
        return DYN;
      default:
        if (!isDynamic(target) && target.kind !== 'error') {
          this.#report(id, `type '${formatType(target)}' does not support field selection`);
        }
        return DYN;
    }
  }

  #structField(id: number, typeName: string, field: string): CelType {
    const { types } = this.#environment;
    const isDeclared = types.findType(typeName) !== undefined;
    const message = isDeclared ? undefined : findMessage(typeName);
    if (!isDeclared && message === undefined) {
      return this.#report(id, `unexpected failed resolution of '${typeName}'`);
    }
    const found = message === undefined ? types.findField(typeName, field) : getOwn(message.fields, field);
    return found ?? this.#report(id, `undefined field '${field}'`);
  }

  #call(call: Call): CelType {
    if (call.name === Operator.OptSelect) return this.#optionalSelect(call);
    for (const argument of call.args) this.check(argument);
    if (call.target === undefined) {
      const name = call.name.startsWith('.') ? call.name.slice(1) : call.name;
      const overloads = this.#environment.functions.get(name);
      if (overloads === undefined) return this.#undeclared(call.id, call.name);
      return this.#resolve(call, { name, overloads, namespaced: false });
    }
    const prefix = qualifiedName(call.target);
    const name = prefix === undefined ? undefined : `${prefix.replace(/^\./, '')}.${call.name}`;
    const namespaced = name === undefined ? undefined : this.#environment.functions.get(name);
    if (name !== undefined && namespaced !== undefined) {
      return this.#resolve(call, { name, overloads: namespaced, namespaced: true });
    }
    this.check(call.target);
    const overloads = this.#environment.functions.get(call.name);
    if (overloads === undefined) return this.#undeclared(call.id, call.name);
    return this.#resolve(call, { name: call.name, overloads, namespaced: false });
  }

  #resolve(call: Call, candidate: Candidate): CelType {
    const receiver = candidate.namespaced ? undefined : call.target;
    const operands = receiver === undefined ? call.args : [receiver, ...call.args];
    const { name, namespaced } = candidate;
    if (name === Operator.LogicalAnd || name === Operator.LogicalOr) return this.#logical(call, name);
    const types = operands.map(({ id }) => this.#types.get(id) ?? DYN);
    const overloads: string[] = [];
    let result: CelType | undefined;
    for (const overload of candidate.overloads) {
      if (overload.member !== (receiver !== undefined)) continue;
      const found = this.#matchOverload(overload, types);
      if (found === undefined) continue;
      overloads.push(overload.id);
      if (result === undefined) result = found;
      else if (!isDynamic(result) && !isSameType(found, result)) result = DYN;
    }
    if (result === undefined) {
      const signature = formatSignature(
        types.map((type) => this.#bound.apply(type, true)),
        receiver !== undefined,
      );
      return this.#report(call.id, `found no matching overload for '${name}' applied to '${signature}'`);
    }
    this.references.set(call.id, { kind: 'function', name, namespaced, overloads });
    return result;
  }

  /** The operands of `&&` and `||` are reported one by one. */
  #logical(call: Call, name: string): CelType {
    let right = true;
    for (const { id } of call.args) {
      const type = this.#types.get(id) ?? DYN;
      if (this.#bound.assign(type, BOOL)) continue;
      this.#mismatch(id, BOOL, type);
      right = false;
    }
    if (!right) return ERROR;
    const overload = name === Operator.LogicalAnd ? 'logical_and' : 'logical_or';
    this.references.set(call.id, { kind: 'function', name, namespaced: false, overloads: [overload] });
    return BOOL;
  }

  /** The result of an overload for some arguments; undefined if they do not fit. */
  #matchOverload(overload: Overload, types: readonly CelType[]): CelType | undefined {
    if (overload.parameters.length === 0) {
      return this.#bound.assignAll(types, overload.arguments) ? overload.result : undefined;
    }
    const fresh = new Substitutions();
    for (const name of overload.parameters) fresh.bind(name, this.#newParameter());
    const expected = overload.arguments.map((type) => fresh.apply(type));
    return this.#bound.assignAll(types, expected) ? this.#bound.apply(fresh.apply(overload.result)) : undefined;
  }

  #list(list: ListLiteral): CelType {
    let joined: CelType | undefined;
    for (const [index, element] of list.elements.entries()) {
      this.check(element);
      const type = this.#elementType(element, list.optional.has(index));
      joined = this.#join(joined, type);
    }
    return listOf(joined ?? this.#newParameter());
  }

  /** The type of an element or a value; of one that is optional, the type inside. */
  #elementType(element: Expression, optional: boolean): CelType {
    const type = this.#types.get(element.id) ?? DYN;
    if (!optional) return type;
    const held = unwrapOptional(type);
    if (!held.optional && !isDynamic(held.type)) this.#mismatch(element.id, optionalOf(held.type), held.type);
    return held.type;
  }

  #map(map: MapLiteral): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of map.entries) {
      key = this.#join(key, this.check(entry.key));
      this.check(entry.value);
      value = this.#join(value, this.#elementType(entry.value, entry.optional));
    }
    const keyType = key ?? this.#newParameter();
    return mapOf(keyType, value ?? this.#newParameter());
  }

  /** The type of elements of two types. The validators refuse literals whose elements differ. */
  #join(joined: CelType | undefined, type: CelType): CelType {
    if (joined === undefined) return type;
    return this.#bound.assign(joined, type) ? moreGeneral(joined, type) : DYN;
  }

  #struct(struct: StructLiteral): CelType {
    const named = this.#scope.find(struct.typeName);
    if (named === undefined) return this.#undeclared(struct.id, struct.typeName);
    this.references.set(struct.id, { kind: 'identifier', name: named.name });
    const made = this.#madeType(struct.id, named.type);
    for (const field of struct.fields) {
      this.check(field.value);
      const expected = this.#madeField(field, named, made);
      const found = this.#elementType(field.value, field.optional);
      if (!this.#bound.assign(expected, found)) this.#fieldMismatch(field.id, field.name, { expected, found });
    }
    return made;
  }

  /** The type of a field of a literal. Upstream looks for it even where the literal makes nothing. */
  #madeField({ id, name }: StructField, named: Named, made: CelType): CelType {
    if (made.kind !== 'error') return this.#structField(id, messageOfType(made) ?? made.name, name);
    // Every name is a field of a map.
    if (named.name === 'map') return DYN;
    const isType = named.type.kind === 'type';
    return this.#report(id, isType ? `undefined field '${name}'` : `unexpected failed resolution of '${named.name}'`);
  }

  #fieldMismatch(id: number, name: string, types: { readonly expected: CelType; readonly found: CelType }): void {
    const [expected, found] = [formatType(types.expected), formatType(types.found)];
    this.#report(id, `expected type of field '${name}' is '${expected}' but provided type is '${found}'`);
  }

  /** The type that a struct literal makes, if its name is that of one with fields. */
  #madeType(id: number, type: CelType): CelType {
    if (type.kind === 'error') return ERROR;
    if (type.kind !== 'type') return this.#report(id, `'${type.name}' is not a type`);
    const made = type.parameters[0] ?? DYN;
    return made.kind === 'struct' || messageOfType(made) !== undefined
      ? made
      : this.#report(id, `'${made.name}' is not a message type`);
  }

  #comprehension(fold: Comprehension): CelType {
    const range = this.#bound.apply(this.check(fold.range));
    const accumulator = this.check(fold.initial);
    const outer = this.#scope;
    const inside = outer.enter(new Map([[fold.accumulator, accumulator]]));
    const [first, second] = this.#variableTypes(fold, range);
    const variables = new Map([[fold.variable, first]]);
    if (fold.secondVariable !== undefined) variables.set(fold.secondVariable, second);
    this.#scope = inside.enter(variables);
    this.check(fold.condition);
    this.#expect(fold.condition, BOOL);
    this.check(fold.step);
    this.#expect(fold.step, accumulator);
    this.#scope = inside;
    const result = this.check(fold.result);
    this.#scope = outer;
    return this.#bound.apply(result);
  }

  #expect(expression: Expression, expected: CelType): void {
    const type = this.#types.get(expression.id) ?? DYN;
    if (!this.#bound.assign(expected, type)) this.#mismatch(expression.id, expected, type);
  }

  /** The types of the variables of a fold over a type. */
  #variableTypes(fold: Comprehension, range: CelType): readonly [CelType, CelType] {
    const [first = DYN, second = DYN] = range.parameters;
    switch (range.kind) {
      case 'list':
        return fold.secondVariable === undefined ? [first, DYN] : [INT, first];
      case 'map':
        return [first, second];
      case 'dyn':
      case 'error':
      case 'parameter':
        this.#bound.assign(DYN, range);
        return [DYN, DYN];
      default: {
        const message = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
        this.#report(fold.range.id, message);
        return [ERROR, ERROR];
      }
    }
  }
}

/** A function that a call may mean. */
interface Candidate {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly namespaced: boolean;
}

function constantType(value: unknown): CelType {
  if (value === null) return NULL;
  if (value instanceof Double) return DOUBLE;
  if (value instanceof Uint) return UINT;
  if (value instanceof Uint8Array) return BYTES;
  if (typeof value === 'string') return STRING;
  return typeof value === 'boolean' ? BOOL : INT;
}

function formatSignature(types: readonly CelType[], member: boolean): string {
  const names = types.map(formatType);
  return member ? `${names[0]}.(${names.slice(1).join(', ')})` : `(${names.join(', ')})`;
}
