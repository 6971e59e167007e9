import { isMembers, type Members } from '../json/is-members.js';
import { fieldsByName } from '../schema/flat-fields.js';
import type { StructSchema } from '../schema/schema.js';
import { assemble, compiledStruct, structSlots } from './canonical/canonicalize.js';
import { mayNestDeep } from './canonical/raw-depth.js';

/**
 * The parts that a value has in common with a canonical object, so that only the rest has to be read. They are the same
 * values at the same places: fields, down to the first list or map. Raw values are none, since reading sorts them.
 */
export class SharedParts {
  /** The value without these parts. */
  readonly rest: Members = {};
  readonly #schema: StructSchema;
  readonly #shared: (readonly [name: string, value: unknown])[] = [];
  readonly #within: (readonly [name: string, parts: SharedParts])[] = [];

  constructor(schema: StructSchema, value: Members, canonical: Members) {
    this.#schema = schema;
    const fields = fieldsByName(schema);
    for (const name of Object.keys(value)) {
      const field = fields.get(name);
      // Other members are not read at all.
      if (field === undefined) continue;
      const member = value[name];
      const same = canonical[name];
      // What is zero or empty may not be canonical.
      if (member && member === same && !mayNestDeep(field.schema)) this.#shared.push([name, member]);
      else if (field.schema.type === 'struct' && isMembers(member) && isMembers(same)) {
        const parts = new SharedParts(field.schema, member, same);
        this.rest[name] = parts.rest;
        this.#within.push([name, parts]);
      } else this.rest[name] = member;
    }
  }

  /** The canonical form of the value, from that of the rest. */
  joined(rest: Members): Members {
    const { fields, byName } = compiledStruct(this.#schema);
    const slots = structSlots(this.#schema, rest);
    const put = (name: string, value: unknown) => {
      const index = byName.get(name)?.index;
      if (index !== undefined) slots[index] = value;
    };
    for (const [name, value] of this.#shared) put(name, value);
    for (const [name, parts] of this.#within) {
      const read = rest[name];
      if (!parts.isEmpty) put(name, parts.joined(isMembers(read) ? read : {}));
    }
    return assemble(fields, slots);
  }

  /** True if the value has nothing in common with the object. */
  get isEmpty(): boolean {
    return this.#shared.length === 0 && this.#within.every(([, parts]) => parts.isEmpty);
  }
}
