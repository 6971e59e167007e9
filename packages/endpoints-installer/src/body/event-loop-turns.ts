import { sliceTurn } from '@apiserver/apimachinery/clock';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { mayExpand } from './yaml-aliases.js';

/** Size from which a body is processed in several event loop turns. */
export const LARGE = 64 * 1024;

/**
 * Yields to the event loop between two steps of work on a body; undefined for a small one, which is processed in one
 * turn.
 */
export type YieldToEventLoop = VerbContext['yieldToEventLoop'];

/** The yield function for a body of a content type. */
export function yieldFor(bytes: Uint8Array | undefined, type = ''): YieldToEventLoop {
  return bytes !== undefined && isLargeBody(bytes, type) ? nextTurn : undefined;
}

/** Reports whether a body is large, or YAML that may expand. */
export function isLargeBody(bytes: Uint8Array, type: string): boolean {
  return bytes.length > LARGE || (type.endsWith('yaml') && mayExpand(bytes));
}

/** Waits for a later event loop turn, together with all other work in steps. */
export async function nextTurn(): Promise<void> {
  await sliceTurn();
}

/** Runs steps that end with `yield`, each in a separate event loop turn. */
export async function inTurns<T>(
  steps: Generator<void, T>,
  yieldToEventLoop: NonNullable<YieldToEventLoop>,
): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await yieldToEventLoop();
  }
}
