import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { CelSchema } from '@apiserver/cel';

/** A schema of an OpenAPI v3 document. References may be inside `allOf`, beside a description. */
export interface OpenApiSchema extends Omit<CelSchema, 'items' | 'properties' | 'additionalProperties'> {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly items?: OpenApiSchema;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

/** The part of an OpenAPI v3 document that has the schemas. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

const PREFIX = '#/components/schemas/';
/** The format of the built-in type; custom resources have an extension instead. */
const INT_OR_STRING = 'int-or-string';
/** The replacement of a schema inside itself. */
const CIRCULAR: CelSchema = { type: 'object' };

/**
 * The schema of a kind, without references; undefined if the document does not have the kind.
 * Upstream: ClientDiscoveryResolver and PopulateRefs of k8s.io/apiserver/pkg/cel/openapi/resolver
 */
export function schemaOfKind({ components }: OpenApiDocument, kind: GroupVersionKind): CelSchema | undefined {
  const schemas = components?.schemas ?? {};
  const name = Object.keys(schemas).find((key) => isOfKind(schemas[key], kind));
  return name === undefined ? undefined : populated({ $ref: `${PREFIX}${name}` }, schemas, new Set());
}

function isOfKind(schema: OpenApiSchema | undefined, { group, version, kind }: GroupVersionKind): boolean {
  const kinds = schema?.['x-kubernetes-group-version-kind'] ?? [];
  return kinds.some((one) => one.group === group && one.version === version && one.kind === kind);
}

type Schemas = Readonly<Record<string, OpenApiSchema>>;

/** Replaces the references in a schema. `visited` has those that it is inside of. */
function populated(schema: OpenApiSchema, schemas: Schemas, visited: ReadonlySet<string>): CelSchema {
  const ref = refOf(schema);
  if (ref === undefined) return withoutRefs(schema, schemas, visited);
  if (visited.has(ref)) return CIRCULAR;
  const target = schemas[ref.slice(PREFIX.length)];
  return target === undefined ? {} : withoutRefs(target, schemas, new Set([...visited, ref]));
}

function withoutRefs(schema: OpenApiSchema, schemas: Schemas, visited: ReadonlySet<string>): CelSchema {
  const { items, properties, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(rest.format === INT_OR_STRING && { 'x-kubernetes-int-or-string': true }),
    ...(items !== undefined && { items: populated(items, schemas, visited) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, populated(property, schemas, visited)]),
      ),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean'
          ? additionalProperties
          : populated(additionalProperties, schemas, visited),
    }),
  };
}

function refOf({ $ref, allOf = [] }: OpenApiSchema): string | undefined {
  if ($ref !== undefined) return $ref;
  for (const one of allOf) {
    const ref = refOf(one);
    if (ref !== undefined) return ref;
  }
  return undefined;
}
