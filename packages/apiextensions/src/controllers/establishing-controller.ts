import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import { isConditionTrue, setCondition } from '../custom-resource-definition/types.js';
import type { DefinitionClient } from './definition-client.js';
import type { DefinitionController } from './definition-queue.js';

/**
 * Sets the condition Established once the resource is served. With several servers, upstream waits five seconds for
 * the others; this server is the only one.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/controller/establish/establishing_controller.go
 */
export function establishingController(
  client: DefinitionClient,
  isServed: (definition: CustomResourceDefinition) => boolean,
): DefinitionController {
  return {
    name: 'establishing',
    sync: async (definition) => {
      const isReady = isConditionTrue(definition, 'NamesAccepted') && isServed(definition);
      if (!isReady || isConditionTrue(definition, 'Established')) return;
      const changed = cloneJson(definition) as CustomResourceDefinition;
      const message = 'the initial names have been accepted';
      const condition = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message } as const;
      setCondition(changed, condition, client.now());
      await client.updateStatus(changed);
    },
  };
}
