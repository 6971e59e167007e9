import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import type { JsonObject } from '@apiserver/apimachinery';
import type { FieldPath } from '@apiserver/apimachinery/field';

/** A default in a schema. */
export interface DeclaredDefault {
  readonly props: JSONSchemaProps;
  /** The path of the default itself. */
  readonly at: FieldPath;
  /** The resource whose type or metadata contains the default; undefined if there is none. */
  readonly inResource: ResourceAround | undefined;
}

/** The resource around a default. */
interface ResourceAround {
  readonly props: JSONSchemaProps;
  /** A resource with only the default set. */
  withDefault(value: unknown): JsonObject;
}

type Surround = (value: unknown) => JsonObject;

interface Around {
  readonly resource: JSONSchemaProps;
  readonly surround: Surround;
  readonly insideMeta: boolean;
}

const RESOURCE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * The defaults of a kind's schema; additionalProperties cannot have any.
 *
 * Upstream: validate of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go
 */
export function declaredDefaults(props: JSONSchemaProps, at: FieldPath): readonly DeclaredDefault[] {
  const root = { ...props, 'x-kubernetes-embedded-resource': true };
  return [...below(root, at, { resource: root, surround: asResource, insideMeta: false })];
}

function* below(props: JSONSchemaProps, at: FieldPath, outer: Around): Generator<DeclaredDefault> {
  const isResource = props['x-kubernetes-embedded-resource'] === true;
  const around: Around = isResource ? { resource: props, surround: asResource, insideMeta: false } : outer;
  const { surround, insideMeta, resource } = around;
  if (props.default !== undefined && props.default !== null) {
    const inResource = insideMeta ? { props: resource, withDefault: surround } : undefined;
    yield { props, at: at.child('default'), inResource };
  }
  const { items, properties = {} } = props;
  if (items !== undefined && !Array.isArray(items)) {
    yield* below(items, at.child('items'), { ...around, surround: (item) => surround([item]) });
  }
  for (const [name, nested] of Object.entries(properties)) {
    yield* below(nested, at.child('properties').key(name), {
      resource,
      surround: (member) => surround({ [name]: member }),
      insideMeta: insideMeta || (isResource && RESOURCE_FIELDS.has(name)),
    });
  }
}

/** Upstream: NewRootObjectFunc and WithTypeMeta */
function asResource(value: unknown): JsonObject {
  return { apiVersion: 'validation/v1', kind: 'Validation', ...(value as JsonObject) };
}
