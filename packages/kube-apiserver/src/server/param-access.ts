import type { ParamKind } from '@apiserver/api/admissionregistration/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { isStatusError } from '@apiserver/apimachinery/errors';
import type { ParamAccessOptions } from '@apiserver/builtin-resources';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { servedResources } from '../config/served-resources.js';

/** A policy of either kind. */
type Policy = KubeObject & { readonly spec: { readonly paramKind?: ParamKind } };

/** Decides on reads of parameters by authors of policies. Nothing is read before the first policy with parameters. */
export function paramAccessOf({ generic }: CompletedKubeApiServerConfig): ParamAccessOptions {
  const { loopback, authorizer } = generic;
  const resourcesOf = servedResources(loopback);
  return {
    authorizer,
    resourceOf: async (kind) => (await resourcesOf(kind))[0]?.resource.resource,
    async policyOf(resource, name) {
      const policies = { group: 'admissionregistration.k8s.io', version: 'v1', resource };
      try {
        return (await loopback.client.resource<Policy>(policies).get('', name)).spec;
      } catch (error) {
        if (isStatusError(error)) return undefined;
        throw error;
      }
    },
  };
}
