import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { isMembers } from '@apiserver/apimachinery/json';
import { RESOURCE_FIELDS } from './declared-defaults.js';

/**
 * Reports whether a value has members that its schema does not declare. Declarations count whatever type they stand
 * beside: a schema of a made-up type may have items.
 *
 * Upstream: prune and skipPrune of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go
 */
export function hasUndeclaredMembers(value: unknown, props: JSONSchemaProps | undefined, keeps = false): boolean {
  // Preserved members are kept as they are; the declared ones among them are not.
  if (keeps && props === undefined) return false;
  const all = keeps || props?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) return value.some((item) => hasUndeclaredMembers(item, itemsOf(props), all));
  if (!isMembers(value)) return false;
  return Object.keys(value).some((name) => {
    if (props?.['x-kubernetes-embedded-resource'] === true && RESOURCE_FIELDS.has(name)) return false;
    const declared = memberOf(props, name);
    return declared === 'none' ? !all : hasUndeclaredMembers(value[name], declared);
  });
}

function itemsOf(props: JSONSchemaProps | undefined): JSONSchemaProps | undefined {
  const items = props?.items;
  return Array.isArray(items) ? undefined : items;
}

/** The schema of a member; undefined for one without a schema. */
function memberOf(props: JSONSchemaProps | undefined, name: string): JSONSchemaProps | undefined | 'none' {
  if (props?.properties !== undefined && Object.hasOwn(props.properties, name)) return props.properties[name];
  const rest = props?.additionalProperties;
  if (rest === undefined) return 'none';
  return typeof rest === 'object' ? rest : undefined;
}
