import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import { isConditionTrue, setCondition, withOwnStatus } from '../custom-resource-definition/types.js';
import type { DefinitionClient } from './definition-client.js';
import type { DefinitionController } from './definition-queue.js';
import { servedCondition } from './established-condition.js';

/**
 * Sets the condition Established of a definition that is served and that the naming controller has left without it.
 * With several servers, upstream waits five seconds for the others; this server is the only one.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/controller/establish/establishing_controller.go
 */
export function establishingController(
  client: DefinitionClient,
  isServed: (definition: CustomResourceDefinition) => boolean,
): DefinitionController {
  return {
    name: 'crdEstablishing',
    sync: async (definition) => {
      const isReady = isConditionTrue(definition, 'NamesAccepted') && isServed(definition);
      if (!isReady || isConditionTrue(definition, 'Established')) return;
      const changed = withOwnStatus(definition);
      setCondition(changed, servedCondition(definition), client.now());
      if (equalJson(changed.status, definition.status)) return;
      await client.updateStatus(changed);
    },
  };
}
