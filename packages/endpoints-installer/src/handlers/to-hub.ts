import type { KubeObject } from '@apiserver/apimachinery';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/** Defaults a decoded object of the endpoint's version, folds its aliases, and takes it to the hub version. Mutates. */
export function toHub(scope: EndpointScope, object: KubeObject): KubeObject {
  const { versionDefinition, codec } = scope;
  codec.applyDefaults(object);
  versionDefinition.applyDefaults?.(object);
  versionDefinition.normalize?.(object);
  return versionDefinition.toHub?.(object) ?? object;
}
