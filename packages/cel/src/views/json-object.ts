import { escapeField } from '../kubernetes/escape-field.js';
import { unescapeField } from '../kubernetes/unescape-field.js';
import { equalTo } from '../values/equality.js';
import { NO_SUCH_OVERLOAD } from '../values/errors.js';
import { InvalidValue } from '../values/invalid-value.js';
import { MapValue, type Result, type Value } from '../values/value.js';
import { isJsonObject, type JsonMap } from './json.js';
import { equalJson } from './json-equality.js';
import { invalid, JsonForm } from './json-form.js';

/** A property of an object by its schema. */
export interface Property {
  readonly name: string;
  /** Undefined for a property of any type, which expressions do not see. */
  readonly form: JsonForm | undefined;
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

  protected readPresent(json: unknown): Value {
    return isJsonObject(json) ? new JsonObject(json, this) : OBJECT_EXPECTED;
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

  protected readPresent(json: unknown): Value {
    return isJsonObject(json) ? new JsonEntries(json, this.value) : OBJECT_EXPECTED;
  }
}

/** A map or an object by its schema. */
abstract class JsonMapValue extends MapValue {
  readonly json: JsonMap;

  constructor(json: JsonMap) {
    super();
    this.json = json;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }
}

/** An object by its schema. Its type at run time is map, as upstream. */
export class JsonObject extends JsonMapValue {
  readonly form: ObjectForm;

  constructor(json: JsonMap, form: ObjectForm) {
    super(json);
    this.form = form;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return KEY_REFUSED;
    const property = this.form.field(key);
    return property === undefined ? undefined : this.read(property);
  }

  /** The value of a property; undefined if it is absent or null. */
  read({ name, form, inherited }: Property): Value | undefined {
    if (form === undefined || (inherited && !Object.hasOwn(this.json, name))) return undefined;
    const json = this.json[name];
    return json === undefined || json === null ? undefined : form.read(json);
  }

  *keys(): Iterable<Value> {
    for (const name of Object.keys(this.json)) {
      const property = this.form.properties.get(name);
      if (property !== undefined) yield escapeField(name) ?? name;
    }
  }

  override equals(other: Value): Result {
    if (!(other instanceof MapValue)) return NO_SUCH_OVERLOAD;
    if (other instanceof JsonObject && other.json === this.json) return true;
    if (other.size !== this.size) return false;
    for (const name of Object.keys(this.json)) {
      const equal = this.#equalsProperty(name, other);
      if (equal !== true) return equal;
    }
    return true;
  }

  #equalsProperty(name: string, other: MapValue): Result {
    const property = this.form.properties.get(name);
    if (property?.form === undefined) {
      if (!(other instanceof JsonMapValue)) return NO_SUCH_OVERLOAD;
      if (!Object.hasOwn(other.json, name)) return property === undefined;
      return equalJson(this.json[name], other.json[name]);
    }
    const [left, right] = [this.read(property), other.find(escapeField(name) ?? name)];
    if (left === undefined || right === undefined) return left === right;
    return equalTo(left, right);
  }
}

/** A key that is no string. */
const KEY_REFUSED = new InvalidValue(NO_SUCH_OVERLOAD);

/** A map by its schema. */
export class JsonEntries extends JsonMapValue {
  readonly #form: JsonForm;

  constructor(json: JsonMap, form: JsonForm) {
    super(json);
    this.#form = form;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return KEY_REFUSED;
    return Object.hasOwn(this.json, key) ? this.#form.read(this.json[key]) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.json);
  }

  override equals(other: Value): Result {
    if (!(other instanceof MapValue)) return NO_SUCH_OVERLOAD;
    if (other instanceof JsonEntries && other.json === this.json) return true;
    if (other.size !== this.size) return false;
    for (const key of Object.keys(this.json)) {
      const [left, right] = [this.find(key), other.find(key)];
      if (left === undefined || right === undefined) return false;
      const equal = equalTo(left, right);
      if (equal !== true) return equal;
    }
    return true;
  }
}
