import type { KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { ObjectScope } from '../scope/object-scope.js';

/**
 * Defaults a decoded object, folds its aliases, and converts it to the hub version. Mutates. `codec` is the one that
 * decoded it: by default that of the endpoint's version, otherwise that of a kind that validation refuses.
 */
export function toHub(scope: ObjectScope, object: KubeObject, codec: KindCodec = scope.codec): KubeObject {
  const { versionDefinition } = scope;
  codec.applyDefaults(object);
  versionDefinition.applyDefaults?.(object);
  versionDefinition.normalize?.(object);
  return versionDefinition.toHub?.(object) ?? object;
}
