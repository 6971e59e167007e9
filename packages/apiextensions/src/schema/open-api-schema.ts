import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { ObjectMeta } from '@apiserver/api/meta/v1';
import {
  formatGroupVersion,
  type GroupVersionKind,
  type JsonObject,
  type StructDefinition,
} from '@apiserver/apimachinery';

/** A definition whose documentation for what every kind has is that of every kind. */
const DESCRIBED_KIND = 'io.k8s.api.core.v1.ConfigMap';

type Describe = (definition: string, property?: string) => string | undefined;

/** How OpenAPI calls a custom kind: the group turned around, the version, the kind. */
export function definitionName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

/** `v1.Widget`, as messages about types say. */
export function goTypeName(gvk: GroupVersionKind): string {
  return `${formatGroupVersion(gvk).split('/').at(-1)}.${gvk.kind}`;
}

/**
 * What OpenAPI shows of a custom kind: the CRD's schema, with the members that every kind has.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go
 */
export function openApiDefinition(
  props: JSONSchemaProps | undefined,
  version: 'v2' | 'v3',
  describe: Describe,
): StructDefinition {
  const own = published(props, version);
  const properties = (own['properties'] ?? {}) as JsonObject;
  const prefix = version === 'v2' ? '#/definitions/' : '#/components/schemas/';
  const reference = { $ref: `${prefix}${ObjectMeta.name}` };
  const described = (name: string): JsonObject => {
    const description = describe(DESCRIBED_KIND, name);
    return description === undefined ? {} : { description };
  };
  const definition: JsonObject = {
    ...own,
    properties: {
      ...properties,
      apiVersion: { ...described('apiVersion'), type: 'string' },
      kind: { ...described('kind'), type: 'string' },
      metadata:
        version === 'v2'
          ? { ...described('metadata'), ...reference }
          : { ...described('metadata'), allOf: [reference] },
    },
    type: 'object',
  };
  return { definition, references: [ObjectMeta] };
}

/**
 * The schema as it is published. A root that keeps everything shows nothing of its fields; version 2 of OpenAPI has no
 * words for much of it.
 */
function published(props: JSONSchemaProps | undefined, version: 'v2' | 'v3'): JsonObject {
  if (props === undefined) return {};
  return version === 'v2' ? forVersion2(props) : (props as unknown as JsonObject);
}

/** Upstream: ToStructuralOpenAPIV2 of …/pkg/controller/openapi/v2/conversion.go */
function forVersion2(props: JSONSchemaProps): JsonObject {
  const { allOf: _a, anyOf: _n, oneOf: _o, not: _t, default: _d, nullable, ...kept } = props;
  if (nullable === true) return withoutShape(kept);
  if (kept['x-kubernetes-preserve-unknown-fields'] === true) return withoutShape(kept);
  const { items, properties, additionalProperties, ...rest } = kept;
  return {
    ...(rest as unknown as JsonObject),
    ...(items !== undefined && !Array.isArray(items) && { items: forVersion2(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, nested]) => [name, forVersion2(nested)])),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : forVersion2(additionalProperties),
    }),
  };
}

/** Clients of version 2 take a type at its word: where more is allowed than they could check, none is given. */
function withoutShape(props: JSONSchemaProps): JsonObject {
  const { type: _t, items: _i, properties: _p, additionalProperties: _a, required: _r, ...rest } = props;
  return rest as unknown as JsonObject;
}
