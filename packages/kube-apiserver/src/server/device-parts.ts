import type { Namespace } from '@apiserver/api/core/v1';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import {
  type DeviceAccessOptions,
  namespaces,
  resourceClaims,
  resourceClaimTemplates,
  withClaimAccess,
  withTemplateAccess,
} from '@apiserver/builtin-resources';
import { forbiddenError } from '@apiserver/endpoints-installer';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/** What claims for devices need of one server. */
export interface DeviceParts {
  /** The definition to install in the place of one of the built-in ones. */
  definitionFor(definition: AnyResourceDefinition): AnyResourceDefinition;
}

/** Makes the parts; nothing is read before somebody asks for admin access. */
export function createDeviceParts({ generic }: CompletedKubeApiServerConfig): DeviceParts {
  const { group, hubVersion, resource } = namespaces;
  const client = generic.loopback.client.resource<Namespace>({ group, version: hubVersion, resource });
  const options: DeviceAccessOptions = {
    labelsOf: async (_context, name) => (await client.get('', name)).metadata.labels ?? {},
    async refusal(attributes, signal) {
      const { decision, reason, error } = await generic.authorizer.authorize(attributes, signal);
      if (decision === 'Allow') return undefined;
      const words = [error?.message, reason].filter(Boolean).join(': ');
      return forbiddenError(attributes, words).message;
    },
  };
  return {
    definitionFor(definition) {
      if (definition === resourceClaims) return withClaimAccess(resourceClaims, options);
      return definition === resourceClaimTemplates ? withTemplateAccess(resourceClaimTemplates, options) : definition;
    },
  };
}
