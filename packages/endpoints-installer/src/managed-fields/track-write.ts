import type { KubeObject } from '@apiserver/apimachinery';
import { inTurns, type YieldToEventLoop } from '../body/event-loop-turns.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import type { Live } from '../scope/managed-fields.js';
import { withConversions } from './with-conversions.js';

/** One write of one manager. */
interface TrackedWrite {
  readonly old: Live;
  readonly object: KubeObject;
  readonly manager: string;
}

/**
 * Records a write in the managed fields of its object: at once, or in turns of the event loop if the request is large.
 * A promise if it takes turns, or if a webhook converts objects for it.
 */
export function trackWrite(
  { fieldManager }: Pick<EndpointScope, 'fieldManager'>,
  { old, object, manager }: TrackedWrite,
  yieldToEventLoop: YieldToEventLoop | undefined,
): Promise<void> | void {
  return withConversions(() => {
    if (yieldToEventLoop === undefined) return fieldManager.update(old, object, manager);
    return inTurns(fieldManager.updateInSteps(old, object, manager), yieldToEventLoop);
  });
}
