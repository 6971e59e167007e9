import type { KubeObject } from '@apiserver/apimachinery';
import type { EndpointVersion } from '@apiserver/apiserver-contracts';

/** Sets the defaults of a version on a decoded object of it, and folds its aliases. Mutates. */
export function applyVersionDefaults({ codec, versionDefinition }: EndpointVersion, object: KubeObject): void {
  codec.applyDefaults(object);
  versionDefinition.applyDefaults?.(object);
  versionDefinition.normalize?.(object);
}
