import type { KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import { isDecodeError, newRequestEntityTooLarge } from '@apiserver/apimachinery/errors';
import { keepUncanonical } from '@apiserver/apimachinery/json';
import type { ObjectScope } from '../scope/object-scope.js';

/**
 * Defaults a decoded object, folds its aliases, and converts it to the hub version. Mutates. `codec` is the one that
 * decoded it: by default that of the endpoint's version, otherwise that of a kind that validation refuses. Throws a 413
 * for defaults that take too much room.
 */
export function toHub(scope: ObjectScope, object: KubeObject, codec: KindCodec = scope.codec): KubeObject {
  const { versionDefinition } = scope;
  writeDefaults(object, codec);
  versionDefinition.applyDefaults?.(object);
  versionDefinition.normalize?.(object);
  return versionDefinition.toHub === undefined ? object : keepUncanonical(object, versionDefinition.toHub(object));
}

function writeDefaults(object: KubeObject, codec: KindCodec): void {
  try {
    codec.applyDefaults(object);
  } catch (error) {
    throw isDecodeError(error) && error.reason === 'values' ? newRequestEntityTooLarge(error.message) : error;
  }
}
