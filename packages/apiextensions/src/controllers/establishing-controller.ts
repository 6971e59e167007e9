import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import { isConditionTrue, setCondition, withOwnStatus } from '../custom-resource-definition/types.js';
import type { DefinitionClient } from './definition-client.js';
import type { DefinitionController } from './definition-queue.js';
import { servedCondition } from './established-condition.js';

/** Time in which the other servers of the store learn that the names of a definition are accepted. */
const OTHER_SERVERS_MS = 5_000;

/**
 * Sets the condition Established of a definition that is served and that the naming controller has left without it.
 * With several servers it waits for the others, as upstream.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/controller/establish/establishing_controller.go
 */
export function establishingController(
  client: DefinitionClient,
  isServed: (definition: CustomResourceDefinition) => boolean,
  hasOtherServers: boolean,
): DefinitionController {
  const delay = hasOtherServers ? OTHER_SERVERS_MS : 0;
  return {
    name: 'crdEstablishing',
    delay: (definition) => (isInstalling(definition) ? delay : undefined),
    sync: async (definition) => {
      if (!isInstalling(definition) || !isServed(definition)) return;
      const changed = withOwnStatus(definition);
      setCondition(changed, servedCondition(definition), client.now());
      if (equalJson(changed.status, definition.status)) return;
      await client.updateStatus(changed);
    },
  };
}

function isInstalling(definition: CustomResourceDefinition): boolean {
  return isConditionTrue(definition, 'NamesAccepted') && !isConditionTrue(definition, 'Established');
}
