import type { CelType } from '../types/cel-type.js';
import { InvalidValue } from '../values/invalid-value.js';
import { EvaluationError, ObjectValue, type Result, type Value } from '../values/value.js';

/** An object whose fields are evaluated when an expression reads them first: the `variables` of a policy. */
export class LazyObject extends ObjectValue {
  readonly type: CelType;
  readonly #fields: ReadonlyMap<string, () => Result>;
  readonly #known = new Map<string, Value>();

  constructor(type: CelType, fields: ReadonlyMap<string, () => Result>) {
    super();
    this.type = type;
    this.#fields = fields;
  }

  /** Evaluates the field too, as upstream. */
  has(field: string): boolean {
    return this.find(field) !== undefined;
  }

  find(field: string): Value | undefined {
    const known = this.#known.get(field);
    if (known !== undefined) return known;
    const result = this.#fields.get(field)?.();
    const value = result instanceof EvaluationError ? new InvalidValue(result) : result;
    if (value !== undefined) this.#known.set(field, value);
    return value;
  }

  equals(other: Value): boolean {
    return other === this;
  }
}
