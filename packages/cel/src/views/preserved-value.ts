import { formatGoValue } from '@apiserver/apimachinery/json';
import { type CelType, PRESERVED } from '../types/cel-type.js';
import { Double } from '../values/number.js';
import { OpaqueValue, type Value } from '../values/value.js';
import type { Work } from '../values/work.js';
import { DynList, DynMap } from './dyn-view.js';
import { equalJson } from './json-equality.js';
import { JsonForm } from './json-form.js';
import { JsonList } from './json-list.js';
import { JsonEntries, JsonObject } from './json-object.js';

/**
 * A value without a schema in an object that has one. Expressions only compare it.
 *
 * Upstream: unknownPreserved in k8s.io/apiserver/pkg/cel/common/valuesunstructured.go
 */
export class PreservedValue extends OpaqueValue {
  readonly type: CelType = PRESERVED;
  readonly json: unknown;

  override get isPointer(): boolean {
    return true;
  }

  constructor(json: unknown) {
    super();
    this.json = json;
  }

  equals(other: Value, work?: Work): boolean {
    const json = jsonOf(other);
    return json !== undefined && equalJson(this.json, json, work);
  }

  override toString(): string {
    return formatGoValue(this.json);
  }
}

/** Values without a schema. */
export class PreservedForm extends JsonForm {
  protected readPresent(json: unknown): Value {
    return new PreservedValue(json);
  }
}

/** The JSON that a value wraps; undefined for other values. */
function jsonOf(value: Value): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Double) return Number.isSafeInteger(value.value) ? undefined : value.value;
  if (value instanceof JsonList) return value.elements;
  const isView =
    value instanceof PreservedValue ||
    value instanceof JsonObject ||
    value instanceof JsonEntries ||
    value instanceof DynMap ||
    value instanceof DynList;
  return isView ? value.json : undefined;
}
