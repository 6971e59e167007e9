import type { ListKind } from '../kubernetes/decl-type.js';
import { escapeField } from '../kubernetes/escape-field.js';
import { equalTo } from '../values/equality.js';
import { NO_SUCH_OVERLOAD } from '../values/errors.js';
import { elementsOf } from '../values/lists.js';
import { Double } from '../values/number.js';
import { Panic } from '../values/panic.js';
import { ListValue, type Result, type Value } from '../values/value.js';
import { WORK_OF_LIST, type Work } from '../values/work.js';
import { DynList, DynMap } from './dyn-view.js';
import { isJsonObject } from './json.js';
import { invalid, JsonForm } from './json-form.js';
import { JsonEntries, JsonObject } from './json-object.js';
import type { ViewContext } from './view-context.js';

/** An array by its schema. */
export class ListForm extends JsonForm {
  readonly element: JsonForm;
  readonly kind: ListKind;

  constructor(nullable: boolean, element: JsonForm, kind: ListKind) {
    super(nullable);
    this.element = element;
    this.kind = kind;
  }

  protected readPresent(json: unknown, context: ViewContext): Value {
    return Array.isArray(json) ? new JsonList(json, this, context) : ARRAY_EXPECTED;
  }

  /** The property of an element by which upstream looks up a key: by a mistake, its escaped name. */
  keyOf(element: unknown): unknown {
    if (this.kind.type === 'set' && isUnhashable(element)) throw unhashableElement(element);
    if (this.kind.type !== 'map') return comparable(element);
    if (!isJsonObject(element)) return element;
    const parts = this.kind.keys.map((key) => comparable(element[escapeField(key) ?? key]));
    return parts.length === 1 ? parts[0] : JSON.stringify(parts);
  }
}

const ARRAY_EXPECTED = invalid('invalid data, expected an array for the provided schema with type=array');

/** True for a list or an object. In Go no set of keys holds them, and upstream fails at the first one. */
function isUnhashable(element: unknown): boolean {
  return Array.isArray(element) || isJsonObject(element);
}

function unhashableElement(element: unknown): Panic {
  const type = Array.isArray(element) ? '[]interface {}' : 'map[string]interface {}';
  return new Panic(`runtime error: hash of unhashable type ${type}`);
}

/** A key of a JavaScript set or map that tells the types of Go apart. */
function comparable(json: unknown): unknown {
  if (typeof json === 'number' && !Number.isSafeInteger(json)) return `double ${json}`;
  if (typeof json === 'bigint') return `int ${json}`;
  return typeof json === 'string' ? `string ${json}` : json;
}

const GO_TYPES = {
  atomic: 'common.unstructuredList',
  set: 'common.unstructuredSetList',
  map: 'common.unstructuredMapList',
} as const;

/** Work of comparing an element. */
const WORK_OF_ELEMENT = 2;

/** Additional work of finding an element of a sum. */
const WORK_OF_SUM = 3;

/** Work of finding an element by its key. */
const WORK_OF_KEY = 10;

/** A list by its schema. */
export class JsonList extends ListValue {
  /** JSON, or values that expressions have added. */
  readonly elements: readonly unknown[];
  readonly form: ListForm;
  readonly context: ViewContext;

  constructor(elements: readonly unknown[], form: ListForm, context: ViewContext) {
    super();
    this.elements = elements;
    this.form = form;
    this.context = context;
  }

  override get goType(): string {
    return GO_TYPES[this.form.kind.type];
  }

  get size(): number {
    return this.elements.length;
  }

  at(index: number): Value {
    return this.form.element.read(this.elements[index], this.context);
  }

  override equals(other: Value, work?: Work): Result {
    if (!(other instanceof ListValue)) return NO_SUCH_OVERLOAD;
    if (other.size !== this.size) return false;
    const { kind } = this.form;
    // A set may differ from itself: the double that an integer is read as is not in it.
    const isSame = other instanceof JsonList && other.elements === this.elements && other.form === this.form;
    if (isSame && kind.type !== 'set') return true;
    switch (kind.type) {
      case 'set':
        return this.#equalsSet(other, work);
      case 'map':
        return this.#equalsMap(other, work);
      case 'atomic':
        return equalInOrder(this, other, work);
    }
  }

  #equalsSet(other: ListValue, work?: Work): Result {
    work?.spend(this.size * WORK_OF_KEY);
    const keys = new Set(this.elements.map((element) => this.form.keyOf(element)));
    for (const value of elementsOf(other)) if (!keys.has(nativeKey(this.form, value))) return false;
    return true;
  }

  #equalsMap(other: ListValue, work?: Work): Result {
    work?.spend(this.size * WORK_OF_KEY);
    const byKey = new Map(this.elements.map((element) => [this.form.keyOf(element), element]));
    for (const value of elementsOf(other)) {
      const key = nativeKey(this.form, value);
      if (!byKey.has(key)) return false;
      const equal = equalTo(this.form.element.read(byKey.get(key), this.context), value, work);
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
        return other.size === 0 ? this : new JsonSum(this, other, this);
    }
  }

  override addedWork(other: ListValue): number {
    return this.form.kind.type === 'atomic' ? 0 : (this.size + other.size) * WORK_OF_KEY;
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
    return new JsonList(elements, this.form, this.context);
  }
}

/** A list by its schema and another list. Nothing is copied; the form of the first reads the elements of both. */
class JsonSum extends ListValue {
  readonly size: number;
  readonly #first: JsonList | JsonSum;
  readonly #second: ListValue;
  readonly #origin: JsonList;

  constructor(first: JsonList | JsonSum, second: ListValue, origin: JsonList) {
    super();
    this.size = first.size + second.size;
    this.#first = first;
    this.#second = second;
    this.#origin = origin;
  }

  override get goType(): string {
    return GO_TYPES.atomic;
  }

  at(index: number): Value {
    const { size } = this.#first;
    if (index < size) return this.#first.at(index);
    const { form, context } = this.#origin;
    return form.element.read(nativeElement(this.#second.at(index - size)), context);
  }

  /** The elements as those of JSON. */
  elements(): readonly unknown[] {
    const first = this.#first instanceof JsonSum ? this.#first.elements() : this.#first.elements;
    return [...first, ...Array.from(elementsOf(this.#second), nativeElement)];
  }

  override equals(other: Value, work?: Work): Result {
    if (!(other instanceof ListValue)) return NO_SUCH_OVERLOAD;
    work?.spend(this.size * WORK_OF_SUM);
    return equalInOrder(this, other, work);
  }

  override add(other: ListValue): ListValue {
    return other.size === 0 ? this : new JsonSum(this, other, this.#origin);
  }
}

function equalInOrder(list: ListValue, other: ListValue, work?: Work): Result {
  if (list.size !== other.size) return false;
  work?.spend(list.size * WORK_OF_ELEMENT + WORK_OF_LIST);
  for (let index = 0; index < list.size; index++) {
    const equal = equalTo(list.at(index), other.at(index), work);
    if (equal !== true) return equal;
  }
  return true;
}

/** A value as an element of JSON. Values without a form in JSON stay as they are: no form reads them. */
function nativeElement(value: Value): unknown {
  if (
    value instanceof JsonObject ||
    value instanceof JsonEntries ||
    value instanceof DynMap ||
    value instanceof DynList
  )
    return value.json;
  if (value instanceof JsonList) return value.elements;
  if (value instanceof JsonSum) return value.elements();
  return value instanceof Double ? value.value : value;
}

/** The key of a value. A double never equals an integer of the JSON. */
function nativeKey(form: ListForm, value: Value): unknown {
  return value instanceof Double ? `double ${value.value}` : form.keyOf(nativeElement(value));
}
