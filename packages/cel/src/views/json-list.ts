import type { ListKind } from '../kubernetes/decl-type.js';
import { escapeField } from '../kubernetes/escape-field.js';
import { equalTo } from '../values/equality.js';
import { NO_SUCH_OVERLOAD } from '../values/errors.js';
import { elementsOf } from '../values/lists.js';
import { Double } from '../values/number.js';
import { ListValue, type Result, type Value } from '../values/value.js';
import { DynList, DynMap } from './dyn-view.js';
import { isJsonObject } from './json.js';
import { invalid, JsonForm } from './json-form.js';
import { JsonEntries, JsonObject } from './json-object.js';

/** An array by its schema. */
export class ListForm extends JsonForm {
  readonly element: JsonForm;
  readonly kind: ListKind;

  constructor(nullable: boolean, element: JsonForm, kind: ListKind) {
    super(nullable);
    this.element = element;
    this.kind = kind;
  }

  protected readPresent(json: unknown): Value {
    return Array.isArray(json) ? new JsonList(json, this) : ARRAY_EXPECTED;
  }

  /** The property of an element by which upstream looks up a key: by a mistake, its escaped name. */
  keyOf(element: unknown): unknown {
    if (this.kind.type !== 'map') return comparable(element);
    if (!isJsonObject(element)) return element;
    const parts = this.kind.keys.map((key) => comparable(element[escapeField(key) ?? key]));
    return parts.length === 1 ? parts[0] : JSON.stringify(parts);
  }
}

const ARRAY_EXPECTED = invalid('invalid data, expected an array for the provided schema with type=array');

/** A key of a JavaScript set or map that tells the types of Go apart. */
function comparable(json: unknown): unknown {
  if (typeof json === 'number' && !Number.isSafeInteger(json)) return `double ${json}`;
  if (typeof json === 'bigint') return `int ${json}`;
  return typeof json === 'string' ? `string ${json}` : json;
}

/** A list by its schema. */
export class JsonList extends ListValue {
  /** JSON, or values that expressions have added. */
  readonly elements: readonly unknown[];
  readonly form: ListForm;

  constructor(elements: readonly unknown[], form: ListForm) {
    super();
    this.elements = elements;
    this.form = form;
  }

  get size(): number {
    return this.elements.length;
  }

  at(index: number): Value {
    return this.form.element.read(this.elements[index]);
  }

  override equals(other: Value): Result {
    if (!(other instanceof ListValue)) return NO_SUCH_OVERLOAD;
    if (other.size !== this.size) return false;
    if (other instanceof JsonList && other.elements === this.elements && other.form === this.form) return true;
    switch (this.form.kind.type) {
      case 'set':
        return this.#equalsSet(other);
      case 'map':
        return this.#equalsMap(other);
      case 'atomic':
        return this.#equalsInOrder(other);
    }
  }

  #equalsInOrder(other: ListValue): Result {
    for (let index = 0; index < this.size; index++) {
      const equal = equalTo(this.at(index), other.at(index));
      if (equal !== true) return equal;
    }
    return true;
  }

  #equalsSet(other: ListValue): Result {
    const keys = new Set(this.elements.map((element) => this.form.keyOf(element)));
    for (const value of elementsOf(other)) if (!keys.has(nativeKey(this.form, value))) return false;
    return true;
  }

  #equalsMap(other: ListValue): Result {
    const byKey = new Map(this.elements.map((element) => [this.form.keyOf(element), element]));
    for (const value of elementsOf(other)) {
      const key = nativeKey(this.form, value);
      if (!byKey.has(key)) return false;
      const equal = equalTo(this.form.element.read(byKey.get(key)), value);
      if (equal !== true) return equal;
    }
    return true;
  }

  override add(other: ListValue): ListValue {
    switch (this.form.kind.type) {
      case 'set':
        return this.#merge(other, false);
      case 'map':
        return this.#merge(other, true);
      case 'atomic':
        return new JsonList([...this.elements, ...Array.from(elementsOf(other), nativeElement)], this.form);
    }
  }

  /** Adds the elements of a list by their keys, which may replace elements. */
  #merge(other: ListValue, replace: boolean): ListValue {
    const elements = [...this.elements];
    const places = new Map(elements.map((element, index) => [this.form.keyOf(element), index]));
    for (const value of elementsOf(other)) {
      const key = nativeKey(this.form, value);
      const place = places.get(key);
      if (place === undefined) {
        if (!replace) places.set(key, elements.length);
        elements.push(nativeElement(value));
      } else if (replace) elements[place] = nativeElement(value);
    }
    return new JsonList(elements, this.form);
  }
}

/** A value as an element of JSON. Values without a form in JSON stay as they are: no form reads them. */
export function nativeElement(value: Value): unknown {
  if (
    value instanceof JsonObject ||
    value instanceof JsonEntries ||
    value instanceof DynMap ||
    value instanceof DynList
  )
    return value.json;
  if (value instanceof JsonList) return value.elements;
  return value instanceof Double ? value.value : value;
}

/** The key of a value. A double never equals an integer of the JSON. */
function nativeKey(form: ListForm, value: Value): unknown {
  return value instanceof Double ? `double ${value.value}` : form.keyOf(nativeElement(value));
}
