import type { ManagedFields } from './managed-fields.js';
import type { ObjectScope } from './object-scope.js';

/** All that the handlers of one endpoint need. */
export interface EndpointScope extends ObjectScope {
  readonly fieldManager: ManagedFields;
}
