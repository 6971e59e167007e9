import type { KubeObject } from '@apiserver/apimachinery';
import type { ObjectScope } from '../scope/object-scope.js';

/**
 * Defaults a decoded object of the endpoint's version, folds its aliases, and converts it to the hub version. Mutates.
 */
export function toHub(scope: ObjectScope, object: KubeObject): KubeObject {
  const { versionDefinition, codec } = scope;
  codec.applyDefaults(object);
  versionDefinition.applyDefaults?.(object);
  versionDefinition.normalize?.(object);
  return versionDefinition.toHub?.(object) ?? object;
}
