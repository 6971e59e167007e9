import type { Pod } from '@apiserver/api/core/v1';
import type { PodDisruptionBudget } from '@apiserver/api/policy/v1';
import { sleep } from '@apiserver/apimachinery/clock';
import type { AnyResourceDefinition, InstalledResource, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { installedBindings, pods, withEviction } from '@apiserver/builtin-resources';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/** What pods need of one server. */
export interface PodParts {
  /** The definition to install in the place of one of the built-in ones. */
  definitionFor(definition: AnyResourceDefinition): AnyResourceDefinition;
  /** The resources of a group with what is served beside its pods. */
  withBindings(resources: readonly InstalledResource[]): readonly InstalledResource[];
}

/** Makes the parts; nothing is read before the first pod is evicted. */
export function createPodParts({ generic }: CompletedKubeApiServerConfig): PodParts {
  const { clock, loopback, random } = generic;
  const budgets = loopback.client.resource<PodDisruptionBudget>({
    group: 'policy',
    version: 'v1',
    resource: 'poddisruptionbudgets',
  });
  const retry = { random, sleep: (milliseconds: number) => sleep(clock, milliseconds) };
  return {
    definitionFor: (definition) => (isPods(definition) ? withEviction(definition, { budgets, retry }) : definition),
    withBindings: (resources) => {
      const installed = resources.find(({ definition }) => isPods(definition));
      return installed === undefined ? resources : [installedBindings(installed), ...resources];
    },
  };
}

/** Others may have made a definition of their own of the built-in one. */
function isPods(definition: AnyResourceDefinition): definition is ResourceDefinition<Pod> {
  return definition.group === pods.group && definition.resource === pods.resource;
}
