import type { FieldManager } from '../managed-fields/field-manager.js';
import type { ObjectScope } from './object-scope.js';

/** All that the handlers of one endpoint need. */
export interface EndpointScope extends ObjectScope {
  readonly fieldManager: FieldManager;
}
