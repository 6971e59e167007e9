import {
  type CelType,
  DYN,
  heldByOptional,
  isDynamic,
  isSameType,
  listOf,
  mapOf,
  opaque,
  typeOf,
} from '../types/cel-type.js';

/** The types that type parameters stand for. A comparison that fails leaves no trace. */
export class Substitutions {
  readonly #types = new Map<string, CelType>();
  /** Earlier values of what was set since the outermost comparison began. */
  readonly #undo: { readonly name: string; readonly before: CelType | undefined }[] = [];

  /** Reports whether `from` is assignable to `to`, and binds type parameters so that it is. */
  assign(from: CelType, to: CelType): boolean {
    return this.#orUndo(() => this.#assignable(from, to));
  }

  /** Reports whether each type is assignable to the one at its place, and binds type parameters so that they are. */
  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    return this.#orUndo(() => this.#allAssignable(from, to));
  }

  /** Binds a type parameter. */
  bind(name: string, type: CelType): void {
    this.#undo.push({ name, before: this.#types.get(name) });
    this.#types.set(name, type);
  }

  /** Replaces bound type parameters; unbound ones become dyn if `unboundAsDyn` is true. */
  apply(type: CelType, unboundAsDyn = false): CelType {
    if (type.kind === 'parameter') {
      const bound = this.#types.get(type.name);
      if (bound !== undefined) return this.apply(bound, unboundAsDyn);
      return unboundAsDyn ? DYN : type;
    }
    if (type.parameters.length === 0) return type;
    const parameters = type.parameters.map((part) => this.apply(part, unboundAsDyn));
    if (parameters.every((part, index) => part === type.parameters[index])) return type;
    const [first = DYN, second = DYN] = parameters;
    switch (type.kind) {
      case 'list':
        return listOf(first);
      case 'map':
        return mapOf(first, second);
      case 'type':
        return typeOf(first);
      default:
        return opaque(type.name, ...parameters);
    }
  }

  #orUndo(compare: () => boolean): boolean {
    this.#undo.length = 0;
    if (compare()) return true;
    for (const { name, before } of this.#undo.toReversed()) {
      if (before === undefined) this.#types.delete(name);
      else this.#types.set(name, before);
    }
    return false;
  }

  /** Upstream: internalIsAssignable in github.com/google/cel-go/checker/types.go */
  #assignable(from: CelType, to: CelType): boolean {
    if (to.kind === 'parameter') {
      const fits = this.#fitsParameter(from, to);
      if (fits !== undefined) return fits;
    }
    if (from.kind === 'parameter') return this.#fitsParameter(to, from) ?? false;
    if (isDynamic(from) || isDynamic(to) || from.kind === 'error' || to.kind === 'error') return true;
    if (from.kind === 'null') return isNullable(to);
    if (to.kind === 'null') return isNullable(from);
    if (from.kind !== to.kind) return false;
    if (from.kind === 'type') return true;
    return from.name === to.name && this.#allAssignable(from.parameters, to.parameters);
  }

  #allAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    if (from.length !== to.length) return false;
    return from.every((type, index) => {
      const other = to[index];
      return other !== undefined && this.#assignable(type, other);
    });
  }

  /**
   * Reports whether a type parameter stands for a type, or can. Undefined if it stands for nothing yet, and cannot
   * stand for this type, which has the parameter inside it.
   */
  #fitsParameter(type: CelType, open: CelType): boolean | undefined {
    if (isSameType(type, open)) return true;
    const bound = this.#types.get(open.name);
    if (bound !== undefined) {
      if (isSameType(type, bound)) return true;
      if (!this.#assignable(type, bound)) return false;
      const general = moreGeneral(type, bound);
      if (!this.#occursIn(open, general)) this.bind(open.name, general);
      return true;
    }
    if (this.#occursIn(open, type)) return undefined;
    this.bind(open.name, type);
    return true;
  }

  #occursIn(open: CelType, type: CelType): boolean {
    if (isSameType(open, type)) return true;
    if (type.kind === 'parameter') {
      const bound = this.#types.get(type.name);
      return bound !== undefined && this.#occursIn(open, bound);
    }
    return type.parameters.some((part) => this.#occursIn(open, part));
  }
}

/** True for types that null fits, as in the first type checker of the language. */
function isNullable(type: CelType): boolean {
  return type.nullable === true || ['opaque', 'struct', 'any', 'duration', 'timestamp', 'null'].includes(type.kind);
}

/** The more general of two types, one of which fits the other. */
export function moreGeneral(a: CelType, b: CelType): CelType {
  return isAtMostAsSpecific(a, b) ? a : b;
}

function isAtMostAsSpecific(a: CelType, b: CelType): boolean {
  if (isDynamic(a) || a.kind === 'parameter') return true;
  if (isDynamic(b) || b.kind === 'parameter' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.kind !== 'opaque' && a.kind !== 'list' && a.kind !== 'map') return isSameType(a, b);
  if (a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((part, index) => {
    const other = b.parameters[index];
    return other !== undefined && isAtMostAsSpecific(part, other);
  });
}

/** The type inside an optional type, or the type itself, and whether it was optional. */
export function unwrapOptional(type: CelType): { readonly type: CelType; readonly optional: boolean } {
  const held = heldByOptional(type);
  return held === undefined ? { type, optional: false } : { type: held, optional: true };
}
