import { type CelType, structOf } from '../types/cel-type.js';
import { NO_SUCH_OVERLOAD } from './errors.js';
import { InvalidValue } from './invalid-value.js';
import { EvaluationError, MapValue, type Result, type Value } from './value.js';

/**
 * A map of a type of its own that reads a member when an expression asks for it. It has neither a size nor `in`, and
 * equals itself alone. A loop sees its values instead of its keys.
 *
 * Upstream: MapValue of k8s.io/apiserver/pkg/cel/lazy
 */
export abstract class LazyMap extends MapValue {
  readonly type: CelType;

  constructor(typeName: string) {
    super();
    this.type = structOf(typeName);
  }

  override get goType(): string {
    return 'lazy.MapValue';
  }

  *keys(): Iterable<Value> {
    for (const name of this.names()) {
      const value = this.find(name);
      yield value === undefined ? new InvalidValue(new EvaluationError(`no such key: ${name}`)) : value;
    }
  }

  override equals(other: Value): Result {
    return other instanceof LazyMap ? other === this : NO_SUCH_OVERLOAD;
  }

  /** The names of the members. `find` may not find all of them. */
  protected abstract names(): Iterable<string>;
}
