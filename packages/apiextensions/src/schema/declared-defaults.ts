import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import type { JsonObject } from '@apiserver/apimachinery';
import type { FieldPath } from '@apiserver/apimachinery/field';

/** A default in a schema. */
export interface DeclaredDefault {
  readonly props: JSONSchemaProps;
  /** The schema in the definition, which is not `props` at the root. */
  readonly declaring: JSONSchemaProps;
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

/** The fields that every resource has. */
export const RESOURCE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * The defaults of a kind's schema; additionalProperties cannot have any.
 *
 * Upstream: validate of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go
 */
export function declaredDefaults(props: JSONSchemaProps, at: FieldPath): readonly DeclaredDefault[] {
  const root = { ...props, 'x-kubernetes-embedded-resource': true };
  const found: DeclaredDefault[] = [];
  collect(root, at, { resource: root, surround: asResource, insideMeta: false }, found);
  return found.map((one) => (one.props === root ? { ...one, declaring: props } : one));
}

/** Without generators: they take several times longer, and nearly all schemas have no default. */
function collect(props: JSONSchemaProps, at: FieldPath, outer: Around, found: DeclaredDefault[]): void {
  const isResource = props['x-kubernetes-embedded-resource'] === true;
  const around: Around = isResource ? { resource: props, surround: asResource, insideMeta: false } : outer;
  const { surround, insideMeta, resource } = around;
  if (props.default !== undefined && props.default !== null) {
    const inResource = insideMeta ? { props: resource, withDefault: surround } : undefined;
    found.push({ props, declaring: props, at: at.child('default'), inResource });
  }
  const { items, properties } = props;
  if (items !== undefined && !Array.isArray(items)) {
    const inside = insideMeta ? { ...around, surround: (item: unknown) => surround([item]) } : around;
    collect(items, at.child('items'), inside, found);
  }
  if (properties === undefined) return;
  const path = at.child('properties');
  for (const name in properties) {
    const nested = properties[name];
    if (nested === undefined) continue;
    // The way from the resource only counts for its type and metadata.
    const isMeta = insideMeta || (isResource && RESOURCE_FIELDS.has(name));
    const inside: Around = isMeta
      ? { resource, surround: (member) => surround({ [name]: member }), insideMeta: true }
      : around;
    collect(nested, path.key(name), inside, found);
  }
}

/** Reports whether a default is an object or a list. Others contain no resource and no unknown field. */
export function hasStructuredDefault({ default: value, items, properties }: JSONSchemaProps): boolean {
  if (isStructured(value)) return true;
  if (items !== undefined && !Array.isArray(items) && hasStructuredDefault(items)) return true;
  for (const name in properties) {
    const nested = properties[name];
    if (nested !== undefined && hasStructuredDefault(nested)) return true;
  }
  return false;
}

/** Reports whether a JSON value is an object or a list. */
export function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Upstream: NewRootObjectFunc and WithTypeMeta */
function asResource(value: unknown): JsonObject {
  return { apiVersion: 'validation/v1', kind: 'Validation', ...(value as JsonObject) };
}
