import { isAlreadyExists } from '@apiserver/apimachinery/errors';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { isResource } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import { NAMESPACES, NamespaceLookup } from '../namespace-lookup.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';

type Dependencies = Pick<AdmissionPluginDependencies, 'informer' | 'client'>;

/** Refuses requests in a namespace that does not exist. Upstream: plugin/pkg/admission/namespace/exists */
export function namespaceExists(dependencies: Dependencies): AdmissionPlugin {
  const namespaces = new NamespaceLookup(dependencies);
  return {
    name: 'NamespaceExists',
    handles: (operation, { resource, namespaced }) =>
      namespaced && operation !== 'CONNECT' && !isResource(resource, NAMESPACES),
    async validate(attributes) {
      if (attributes.namespace !== '') await namespaces.namespaceOf(attributes);
    },
  };
}

/**
 * Creates the namespace of a new object if it does not exist. Upstream: plugin/pkg/admission/namespace/autoprovision
 */
export function namespaceAutoProvision(dependencies: Dependencies): AdmissionPlugin {
  const namespaces = new NamespaceLookup(dependencies);
  const client = dependencies.client.resource(NAMESPACES);
  return {
    name: 'NamespaceAutoProvision',
    handles: (operation, { resource, namespaced }) =>
      namespaced && operation === 'CREATE' && !isResource(resource, NAMESPACES),
    async admit(attributes) {
      const { dryRun, namespace } = attributes;
      if (dryRun || namespace === '' || (await namespaces.viewed(attributes)) !== undefined) return;
      try {
        await client.create('', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      } catch (error) {
        if (!isAlreadyExists(error)) throw newAdmissionForbidden(attributes, error);
      }
    },
  };
}
