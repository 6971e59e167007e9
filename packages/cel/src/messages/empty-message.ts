import { type CelType, structOf } from '../types/cel-type.js';
import { InvalidValue } from '../values/invalid-value.js';
import { EvaluationError, ObjectValue, type Value } from '../values/value.js';

/** `google.protobuf.Empty{}`, the only message that stays one. */
export class EmptyMessage extends ObjectValue {
  readonly type: CelType = structOf('google.protobuf.Empty');

  has(field: string): EvaluationError {
    return noField(field);
  }

  find(field: string): Value {
    return new InvalidValue(noField(field));
  }

  equals(other: Value): boolean {
    return other instanceof EmptyMessage;
  }

  override toString(): string {
    return '';
  }
}

function noField(field: string): EvaluationError {
  return new EvaluationError(`no such field '${field}'`);
}
