import type { Event } from '@apiserver/api/core/v1';
import type { Strategy, VerbContext } from '@apiserver/apiserver-contracts';
import { validateEventCreate, validateEventUpdate } from './validation.js';

/** Upstream: pkg/registry/core/event/strategy.go */
export const eventStrategy: Strategy<Event> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  defaultGarbageCollectionPolicy: 'Unsupported',
  validate: (context, event) => validateEventCreate(event, isStrict(context)),
  validateUpdate: (context, event, old) => validateEventUpdate(event, old, isStrict(context)),
};

/** The old API keeps its old rules. */
function isStrict({ requestInfo }: VerbContext): boolean {
  return requestInfo?.apiGroup !== '';
}
