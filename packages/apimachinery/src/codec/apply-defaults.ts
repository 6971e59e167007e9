import { cloneJson } from '../json/clone-json.js';
import { flatFields } from '../schema/flat-fields.js';
import type { FieldSchema, Schema, StructSchema } from '../schema/schema.js';

type Members = { [key: string]: unknown };

/** Writes a schema's declarative defaults into a value. Undefined where the schema and its descendants have none. */
export type ApplyDefaults = (value: unknown) => void;

/**
 * The defaults of a schema, compiled: only paths that lead to a default are walked. A default is written where the
 * field is absent, and for a field by value also where it is zero.
 *
 * Upstream: the SetObjectDefaults functions of k8s.io/gengo's defaulter
 */
export function defaulter(schema: StructSchema): ApplyDefaults {
  return new DefaultsCompiler().compile(schema) ?? (() => {});
}

class DefaultsCompiler {
  /** Structs on the current path: a struct that contains itself is resolved when a value reaches it. */
  readonly #known = new Map<StructSchema, { apply: ApplyDefaults | undefined }>();

  compile(schema: Schema): ApplyDefaults | undefined {
    switch (schema.type) {
      case 'struct':
        return this.#struct(schema);
      case 'list': {
        const element = this.compile(schema.element);
        return element && ((value) => eachOf(value as readonly unknown[], element));
      }
      case 'map': {
        const element = this.compile(schema.element);
        return element && ((value) => eachOf(Object.values(value as Members), element));
      }
      default:
        return undefined;
    }
  }

  #struct(schema: StructSchema): ApplyDefaults | undefined {
    const known = this.#known.get(schema);
    if (known !== undefined) return (value) => known.apply?.(value);
    const entry: { apply: ApplyDefaults | undefined } = { apply: undefined };
    this.#known.set(schema, entry);
    const steps = flatFields(schema).flatMap((field) => this.#field(field));
    if (steps.length === 0) {
      // No defaults below, except perhaps in the struct itself.
      return undefined;
    }
    entry.apply = (value) => {
      for (const step of steps) step(value as Members);
    };
    return entry.apply;
  }

  #field(field: FieldSchema): ((object: Members) => void)[] {
    const steps: ((object: Members) => void)[] = [];
    if (field.default !== undefined && !isGoZero(field)) steps.push((object) => writeDefault(object, field));
    const below = this.compile(field.schema);
    if (below !== undefined) {
      steps.push((object) => {
        const value = object[field.name];
        if (value !== null && value !== undefined) below(value);
      });
    }
    return steps;
  }
}

function eachOf(values: readonly unknown[], apply: ApplyDefaults): void {
  for (const value of values) if (value !== null) apply(value);
}

function writeDefault(object: Members, field: FieldSchema): void {
  const value = object[field.name];
  const absent = value === undefined || value === null || (!field.pointer && isZero(value));
  if (absent) object[field.name] = cloneJson(field.default);
}

/** True for a default that equals the zero value of a Go struct. The encoder decides how an absent field is shown. */
function isGoZero({ pointer, default: value }: FieldSchema): boolean {
  return !pointer && isZero(value);
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false || value === 0n;
}
