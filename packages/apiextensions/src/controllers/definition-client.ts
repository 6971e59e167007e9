import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import { formatTime } from '@apiserver/apimachinery/values';
import type { LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';

const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

/** The writes of controllers to definitions. */
export interface DefinitionClient {
  readonly resource: ResourceClient<CustomResourceDefinition>;
  get(name: string): Promise<CustomResourceDefinition>;
  /** Throws a 409 if the definition is not the latest. */
  updateStatus(definition: CustomResourceDefinition): Promise<CustomResourceDefinition>;
  /** The current time in the format of conditions. */
  now(): string;
}

/** The client of the controllers, over that of the server. */
export function definitionClient(client: LoopbackClient, clock: Clock): DefinitionClient {
  const resource = client.resource<CustomResourceDefinition>(DEFINITIONS);
  return {
    resource,
    get: (name) => resource.get('', name),
    updateStatus: (definition) => resource.update('', definition, { subresource: 'status' }),
    now: () => formatTime(clock.now()),
  };
}
