import type { CelType } from '../types/cel-type.js';
import { equalValues } from './equality.js';
import { type EvaluationError, ObjectValue, type Result, type Value } from './value.js';
import type { Work } from './work.js';

/** An object that an expression makes: `Object{…}` or `JSONPatch{…}`. */
export class MadeObject extends ObjectValue {
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, Value>;
  readonly #defaults: ReadonlyMap<string, Value>;

  constructor(type: CelType, fields: ReadonlyMap<string, Value>, defaults: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.fields = fields;
    this.#defaults = defaults;
  }

  has(field: string): boolean | EvaluationError {
    return this.fields.has(field);
  }

  find(field: string): Value | undefined {
    return this.fields.get(field) ?? this.#defaults.get(field) ?? null;
  }

  /** As `has`, where the type of the object is known. */
  hasDeclared(field: string): boolean | EvaluationError {
    return this.has(field);
  }

  /** As `find`, where the type of the object is known. */
  findDeclared(field: string): Result | undefined {
    return this.find(field);
  }

  /** The object inside an optional that is read. */
  get unwrapped(): Value {
    return this;
  }

  equals(other: Value, work?: Work): boolean {
    if (!(other instanceof MadeObject) || other.type.name !== this.type.name) return false;
    if (other.fields.size !== this.fields.size) return false;
    return [...this.fields].every(([name, value]) => {
      const right = other.fields.get(name);
      return right !== undefined && equalValues(value, right, work) === true;
    });
  }
}
