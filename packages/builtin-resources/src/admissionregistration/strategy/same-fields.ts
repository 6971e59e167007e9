import type { KubeObject } from '@apiserver/apimachinery';
import type { ResourceVersionDefinition } from '@apiserver/apiserver-contracts';

/** Converts between versions whose fields are the same. */
export function sameFields<T extends KubeObject>(
  version: string,
): Required<Pick<ResourceVersionDefinition<T>, 'toHub' | 'fromHub'>> {
  return {
    toHub: (object) => ({ ...object, apiVersion: 'admissionregistration.k8s.io/v1' }),
    fromHub: (object) => ({ ...object, apiVersion: `admissionregistration.k8s.io/${version}` }),
  };
}
