import { flatFields } from '../schema/flat-fields.js';
import type { FieldSchema, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../schema/schema.js';
import { zeroScalar } from '../schema/zero-scalar.js';
import type { Json, JsonObject } from '../types/json.js';
import { enumDescription } from './enum-description.js';
import type { OpenApiOptions } from './open-api-options.js';
import { namedType } from './type-definitions.js';

/**
 * The OpenAPI definitions of structs and of every type they refer to, by name (`io.k8s.api.core.v1.ConfigMap`), in
 * alphabetical order. References point to `#/definitions/` or `#/components/schemas/`.
 *
 * Upstream: k8s.io/kube-openapi/pkg/generators and pkg/builder
 */
export function openApiDefinitions(roots: Iterable<Schema>, options: OpenApiOptions): Map<string, JsonObject> {
  const steps = openApiDefinitionSteps(roots, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same, in a step for each struct. */
export function* openApiDefinitionSteps(
  roots: Iterable<Schema>,
  options: OpenApiOptions,
): Generator<void, Map<string, JsonObject>> {
  const builder = new DefinitionBuilder(options);
  for (const root of roots) {
    builder.reference(root);
    yield;
  }
  return new Map([...builder.definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
}

class DefinitionBuilder {
  readonly definitions = new Map<string, JsonObject>();
  readonly #options: OpenApiOptions;

  constructor(options: OpenApiOptions) {
    this.#options = options;
  }

  /** A reference to the type's definition, which is made if it is new; types without a name are inlined. */
  reference(schema: Schema): JsonObject {
    if (schema.type === 'struct') return this.#named(schema.name, () => this.#struct(schema));
    const named = namedType(schema);
    if (named !== undefined) {
      return this.#named(named.name, () => this.#described(named.name, named.definition(this.#options.version)));
    }
    return this.#inline(schema);
  }

  #named(name: string, make: () => JsonObject): JsonObject {
    if (!this.definitions.has(name)) {
      this.definitions.set(name, {});
      this.definitions.set(name, make());
    }
    return { $ref: `${this.#options.version === 'v2' ? '#/definitions/' : '#/components/schemas/'}${name}` };
  }

  #described(name: string, definition: JsonObject): JsonObject {
    const description = this.#options.describe?.(name);
    return description === undefined ? definition : { description, ...definition };
  }

  #struct(schema: StructSchema): JsonObject {
    if (schema.definition !== undefined) {
      const { definition, references } = schema.definition(
        this.#options.version,
        this.#options.describe ?? (() => undefined),
      );
      for (const reference of references) this.reference(reference);
      return definition as JsonObject;
    }
    const fields = flatFields(schema);
    const required = fields.filter((field) => !field.optional).map((field) => field.name);
    const properties = fields.map((field): [string, Json] => [field.name, this.#property(schema, field)]);
    const kinds = this.#options.kindsOf?.(schema.name) ?? [];
    return this.#described(schema.name, {
      ...(fields.length === 0
        ? {}
        : { properties: Object.fromEntries(properties.sort(([a], [b]) => (a < b ? -1 : 1))) }),
      ...(required.length === 0 ? {} : { required }),
      type: 'object',
      ...(kinds.length === 0
        ? {}
        : { 'x-kubernetes-group-version-kind': kinds.map(({ group, kind, version }) => ({ group, kind, version })) }),
      ...(schema.mapType === undefined ? {} : { 'x-kubernetes-map-type': schema.mapType }),
      ...unions(schema),
    });
  }

  #property(owner: StructSchema, field: FieldSchema): JsonObject {
    const description = this.#description(owner, field);
    const attributes: JsonObject = {
      ...(description === undefined ? {} : { description }),
      ...this.#default(field.default ?? (field.pointer ? undefined : zeroDefault(field.schema, field.omitEmpty))),
      ...(field.mapType === undefined ? {} : { 'x-kubernetes-map-type': field.mapType }),
      ...(field.patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
      ...(field.patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') }),
    };
    return this.#with(this.reference(field.schema), attributes);
  }

  /** Adds attributes to a reference, which v3 must wrap. */
  #with(schema: JsonObject, attributes: JsonObject): JsonObject {
    if (Object.keys(attributes).length === 0) return schema;
    if (this.#options.version === 'v3' && '$ref' in schema) return { ...attributes, allOf: [schema] };
    return { ...schema, ...attributes };
  }

  #description(owner: StructSchema, field: FieldSchema): string | undefined {
    const { describe, enums } = this.#options;
    const text = describe?.(owner.name, field.name);
    if (!enums || field.schema.type !== 'string' || field.schema.enum === undefined) return text;
    return enumDescription(text, field.schema, describe?.(owner.name, `${field.name}#values`));
  }

  /** Defaults are shown in v3 only. */
  #default(value: unknown): JsonObject {
    return value === undefined || this.#options.version === 'v2' ? {} : { default: value as Json };
  }

  #inline(schema: Schema): JsonObject {
    switch (schema.type) {
      case 'list':
        return this.#list(schema);
      case 'map':
        return this.#map(schema);
      case 'bytes':
        return {
          type: 'string',
          format: 'byte',
          ...(schema.listType === undefined ? {} : { 'x-kubernetes-list-type': schema.listType }),
        };
      case 'any':
        return { type: 'object' };
      default:
        return this.#scalar(schema as ScalarSchema);
    }
  }

  #scalar(schema: ScalarSchema): JsonObject {
    switch (schema.type) {
      case 'bool':
        return { type: 'boolean' };
      case 'float64':
        return { type: 'number', format: 'double' };
      case 'string':
        return {
          type: 'string',
          ...(this.#options.enums && schema.enum !== undefined ? { enum: [...schema.enum] as Json[] } : {}),
        };
      default:
        return { type: 'integer', format: schema.type };
    }
  }

  #list(schema: ListSchema): JsonObject {
    return {
      items: this.#element(schema.element),
      type: 'array',
      ...(schema.keys === undefined ? {} : { 'x-kubernetes-list-map-keys': [...schema.keys] }),
      ...(schema.listType === undefined ? {} : { 'x-kubernetes-list-type': schema.listType }),
    };
  }

  #map(schema: MapSchema): JsonObject {
    return {
      additionalProperties: this.#element(schema.element),
      type: 'object',
      ...(schema.mapType === undefined ? {} : { 'x-kubernetes-map-type': schema.mapType }),
    };
  }

  #element(schema: Schema): JsonObject {
    return this.#with(this.reference(schema), this.#default(zeroDefault(schema, false)));
  }
}

/** The implicit default of a field by value: its type's zero. */
function zeroDefault(schema: Schema, omitEmpty: boolean): Json | undefined {
  if (schema.type === 'struct') return {};
  if (omitEmpty) return undefined;
  return zeroScalar(schema);
}

function unions(schema: StructSchema): JsonObject {
  if (schema.unions === undefined) return {};
  const list = schema.unions.map((union) => ({
    ...(union.discriminator === undefined ? {} : { discriminator: union.discriminator }),
    'fields-to-discriminateBy': { ...union.fields },
  }));
  return { 'x-kubernetes-unions': list };
}
