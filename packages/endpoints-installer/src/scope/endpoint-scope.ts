import type { Memo } from '@apiserver/apimachinery/lazy';
import type { ManagedFields } from './managed-fields.js';
import type { ObjectScope } from './object-scope.js';

/** The context of one endpoint's handlers. */
export interface EndpointScope extends ObjectScope {
  readonly fieldManager: ManagedFields;
  /** Things that handlers make once for the endpoint. */
  readonly memo: Memo;
}
