import type { Namespace } from '@apiserver/api/core/v1';
import { type DeviceAccessOptions, namespaces } from '@apiserver/builtin-resources';
import { forbiddenError } from '@apiserver/endpoints-installer';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/** Decides on admin access to devices for claims. Nothing is read before a claim requests it. */
export function deviceAccessOf({ generic }: CompletedKubeApiServerConfig): DeviceAccessOptions {
  const { group, hubVersion, resource } = namespaces;
  const client = generic.loopback.client.resource<Namespace>({ group, version: hubVersion, resource });
  return {
    labelsOf: async (_context, name) => (await client.get('', name)).metadata.labels ?? {},
    async refusal(attributes, signal) {
      const { decision, reason, error } = await generic.authorizer.authorize(attributes, signal);
      if (decision === 'Allow') return undefined;
      const words = [error?.message, reason].filter(Boolean).join(': ');
      return forbiddenError(attributes, words).message;
    },
  };
}
