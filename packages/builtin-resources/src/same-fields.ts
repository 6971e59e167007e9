import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceVersionDefinition } from '@apiserver/apiserver-contracts';

/** Converts between two versions of a group whose fields are the same. */
export function sameFields<T extends KubeObject>(
  group: string,
  version: string,
  hub = 'v1',
): Required<Pick<ResourceVersionDefinition<T>, 'toHub' | 'fromHub'>> {
  return {
    toHub: (object) => ({ ...object, apiVersion: `${group}/${hub}` }),
    fromHub: (object) => ({ ...object, apiVersion: `${group}/${version}` }),
  };
}
