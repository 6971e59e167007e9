import type { KubeObject } from '@apiserver/apimachinery';
import type { Strategy } from '@apiserver/apiserver-contracts';

/** The strategies of the main endpoint and of the status endpoint. */
export interface Strategies<T extends KubeObject> {
  readonly main: Strategy<T>;
  readonly status: Strategy<T>;
}
