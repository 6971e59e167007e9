import { unescapeField } from '../kubernetes/unescape-field.js';
import { equalTo } from '../values/equality.js';
import { NO_SUCH_OVERLOAD } from '../values/errors.js';
import { InvalidValue } from '../values/invalid-value.js';
import { MapValue, type Result, type Value } from '../values/value.js';
import type { Work } from '../values/work.js';
import { isJsonObject, type JsonMap, ownValue } from './json.js';
import { equalJson } from './json-equality.js';
import { invalid, JsonForm } from './json-form.js';
import type { ViewContext } from './view-context.js';

/** A property of an object by its schema. */
export interface Property {
  readonly name: string;
  readonly form: JsonForm;
  /** The name in expressions. */
  readonly field: string;
  /** True for a name that every JavaScript object has: whether the JSON has it must be asked for. */
  readonly inherited: boolean;
}

const OBJECT_EXPECTED = invalid('invalid data, expected a map for the provided schema with type=object');

/** An object with properties. */
export class ObjectForm extends JsonForm {
  readonly properties: ReadonlyMap<string, Property>;
  readonly #fields = new Map<string, Property | undefined>();

  constructor(nullable: boolean, properties: ReadonlyMap<string, Property>) {
    super(nullable);
    this.properties = properties;
  }

  protected readPresent(json: unknown, context: ViewContext): Value {
    return isJsonObject(json) ? new JsonObject(json, this, context) : OBJECT_EXPECTED;
  }

  /** The property that a field of an expression selects. */
  field(field: string): Property | undefined {
    if (this.#fields.has(field)) return this.#fields.get(field);
    const name = unescapeField(field);
    const property = name === undefined ? undefined : this.properties.get(name);
    // Dynamic keys are without number.
    if (property !== undefined) this.#fields.set(field, property);
    return property;
  }
}

/** A map whose values have one type. */
export class MapForm extends JsonForm {
  readonly value: JsonForm;

  constructor(nullable: boolean, value: JsonForm) {
    super(nullable);
    this.value = value;
  }

  protected readPresent(json: unknown, context: ViewContext): Value {
    return isJsonObject(json) ? new JsonEntries(json, this.value, context) : OBJECT_EXPECTED;
  }
}

/** Work of comparing one property, besides that of its value. */
const WORK_OF_PROPERTY = 10;

/** Work of comparing one entry of a map: the largest maps are slow. */
const WORK_OF_ENTRY = 10;

/** Work of looking up a key: the largest maps are slow. */
const WORK_OF_KEY = 20;

/** A map or an object by its schema. */
export abstract class JsonMapValue extends MapValue {
  readonly json: JsonMap;
  readonly context: ViewContext;

  constructor(json: JsonMap, context: ViewContext) {
    super();
    this.json = json;
    this.context = context;
  }

  override get goType(): string {
    return 'common.unstructuredMap';
  }

  get size(): number {
    return this.context.keysOf(this.json).length;
  }
}

/** An object by its schema. Its type at run time is map, as upstream. */
export class JsonObject extends JsonMapValue {
  readonly form: ObjectForm;

  constructor(json: JsonMap, form: ObjectForm, context: ViewContext) {
    super(json, context);
    this.form = form;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return KEY_REFUSED;
    const property = this.form.field(key);
    return property === undefined ? undefined : this.read(property);
  }

  /** The value of a property; undefined if it is absent or null. */
  read({ name, form, inherited }: Property): Value | undefined {
    if (inherited && !Object.hasOwn(this.json, name)) return undefined;
    const json = this.json[name];
    return json === undefined || json === null ? undefined : form.read(json, this.context);
  }

  override get hasHoles(): boolean {
    return true;
  }

  /** The fields. Upstream has no keys for members without a schema, and visits them last. */
  *keys(): Iterable<Value> {
    let holes = 0;
    for (const name of this.context.keysOf(this.json)) {
      const property = this.form.properties.get(name);
      if (property === undefined) holes++;
      else yield property.field;
    }
    for (; holes > 0; holes--) yield null;
  }

  override equals(other: Value, work?: Work): Result {
    if (!(other instanceof MapValue)) return NO_SUCH_OVERLOAD;
    if (other instanceof JsonObject && other.json === this.json) return true;
    if (other.size !== this.size) return false;
    work?.spend(this.size * WORK_OF_PROPERTY);
    for (const name of this.context.keysOf(this.json)) {
      const equal = this.#equalsProperty(name, other, work);
      if (equal !== true) return equal;
    }
    return true;
  }

  #equalsProperty(name: string, other: MapValue, work?: Work): Result {
    const property = this.form.properties.get(name);
    if (property === undefined) {
      if (!(other instanceof JsonMapValue)) return NO_SUCH_OVERLOAD;
      return !Object.hasOwn(other.json, name) || equalJson(this.json[name], other.json[name], work);
    }
    const left = this.read(property);
    const sameForm = other instanceof JsonObject && other.form === this.form;
    const right = sameForm ? other.read(property) : other.find(property.field);
    if (left === undefined || right === undefined) return left === right;
    return equalTo(left, right, work);
  }
}

/** A key that is no string. */
const KEY_REFUSED = new InvalidValue(NO_SUCH_OVERLOAD);

/** A map by its schema. */
export class JsonEntries extends JsonMapValue {
  readonly #form: JsonForm;

  constructor(json: JsonMap, form: JsonForm, context: ViewContext) {
    super(json, context);
    this.#form = form;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return KEY_REFUSED;
    this.context.work?.spend(WORK_OF_KEY);
    const json = ownValue(this.json, key);
    return json === undefined ? undefined : this.#form.read(json, this.context);
  }

  keys(): Iterable<Value> {
    return this.context.keysOf(this.json);
  }

  override equals(other: Value, work?: Work): Result {
    if (!(other instanceof MapValue)) return NO_SUCH_OVERLOAD;
    if (other instanceof JsonEntries && other.json === this.json) return true;
    if (other.size !== this.size) return false;
    work?.spend(this.size * WORK_OF_ENTRY);
    for (const key of this.context.keysOf(this.json)) {
      const [left, right] = [this.find(key), other.find(key)];
      if (left === undefined || right === undefined) return false;
      const equal = equalTo(left, right, work);
      if (equal !== true) return equal;
    }
    return true;
  }
}
