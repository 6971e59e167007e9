import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { ObjectMeta } from '@apiserver/api/meta/v1';
import { formatGroupVersion, type GroupVersionKind, type Json, type JsonObject } from '@apiserver/apimachinery';
import { isMembers } from '@apiserver/apimachinery/json';
import type { StructDefinition } from '@apiserver/apimachinery/schema';
import { publishedSchema } from './published-schema.js';

/** Any definition with the standard documentation of type and metadata. */
const DESCRIBED_KIND = 'io.k8s.api.core.v1.ConfigMap';

type Describe = (definition: string, property?: string) => string | undefined;

/** The OpenAPI name of a custom kind: the reversed group, the version, the kind. */
export function definitionName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

/** `v1.Widget`, as in messages about types. */
export function goTypeName(gvk: GroupVersionKind): string {
  return `${formatGroupVersion(gvk).split('/').at(-1)}.${gvk.kind}`;
}

/** The parts of a kind's version that OpenAPI publishes. */
export interface PublishedKind {
  /** Undefined if the version has no schema. */
  readonly props: JSONSchemaProps | undefined;
  /** True if the definition keeps unknown fields, regardless of the schema. */
  readonly preserveUnknownFields: boolean;
  /** True for a structural schema. Others, which only old definitions have, are not published. */
  isStructural(): boolean;
  /** Fields that selectors support: `spec.colour`. */
  readonly selectableFieldNames: readonly string[];
}

/**
 * The OpenAPI definition of a custom kind: the CRD's schema, with type and metadata.
 *
 * Upstream: buildKubeNative of k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go
 */
export function openApiDefinition(kind: PublishedKind, version: 'v2' | 'v3', describe: Describe): StructDefinition {
  const { selectableFieldNames } = kind;
  const own = publishedRoot(kind, version);
  const definition: JsonObject = {
    ...(own === undefined ? { type: 'object' } : withResources(own, version, describe)),
    ...(selectableFieldNames.length > 0 && {
      'x-kubernetes-selectable-fields': selectableFieldNames.map((fieldPath) => ({ fieldPath })),
    }),
  };
  return { definition, references: [ObjectMeta] };
}

/**
 * Undefined if only the type object is published: kubectl would reject fields that are not listed. Version 3 can
 * express additional ones.
 */
function publishedRoot(kind: PublishedKind, version: 'v2' | 'v3'): JsonObject | undefined {
  const { props, preserveUnknownFields } = kind;
  if (props === undefined || !kind.isStructural()) return undefined;
  const keepsAll = preserveUnknownFields || props['x-kubernetes-preserve-unknown-fields'] === true;
  return version === 'v2' && keepsAll ? undefined : publishedSchema(props, version);
}

/** The schema of a kind, with type and metadata at its root and in every embedded resource. */
function withResources(root: JsonObject, version: 'v2' | 'v3', describe: Describe): JsonObject {
  const members = resourceMembers(version, describe);
  const nested = hasEmbedded(root) ? withEmbedded(root, version, members) : root;
  // Nobody else has the published schema.
  nested['properties'] = Object.assign(propertiesOf(nested), members);
  return nested;
}

/** Reports whether a resource is embedded anywhere, which is rare: a schema without one needs no copy. */
function hasEmbedded(schema: JsonObject): boolean {
  const { properties, items, additionalProperties } = schema;
  if (schema['x-kubernetes-embedded-resource'] === true) return true;
  for (const one of [items, additionalProperties]) if (isMembers(one) && hasEmbedded(one)) return true;
  return isMembers(properties) && Object.values(properties).some((one) => isMembers(one) && hasEmbedded(one));
}

/** Upstream: addEmbeddedProperties */
function withEmbedded(schema: JsonObject, version: 'v2' | 'v3', members: JsonObject): JsonObject {
  const inside = (value: Json): Json => (isMembers(value) ? withEmbedded(value, version, members) : value);
  const { properties, items, additionalProperties } = schema;
  const nested: JsonObject = {
    ...schema,
    ...(isMembers(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, inside(value)])),
    }),
    ...(items !== undefined && { items: inside(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: inside(additionalProperties) }),
  };
  if (version === 'v2' && schema['x-kubernetes-preserve-unknown-fields'] === true) return nested;
  if (schema['x-kubernetes-embedded-resource'] !== true) return nested;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
  return {
    ...nested,
    properties: { ...propertiesOf(nested), ...members },
    required: [...required, ...missing],
  };
}

function resourceMembers(version: 'v2' | 'v3', describe: Describe): JsonObject {
  const reference = { $ref: `${version === 'v2' ? '#/definitions/' : '#/components/schemas/'}${ObjectMeta.name}` };
  const described = (name: string): JsonObject => {
    const description = describe(DESCRIBED_KIND, name);
    return description === undefined ? {} : { description };
  };
  return {
    apiVersion: { ...described('apiVersion'), type: 'string' },
    kind: { ...described('kind'), type: 'string' },
    metadata: { ...described('metadata'), ...(version === 'v2' ? reference : { allOf: [reference] }) },
  };
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isMembers(properties) ? properties : {};
}
