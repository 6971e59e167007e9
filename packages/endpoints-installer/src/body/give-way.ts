import { setImmediate } from 'node:timers/promises';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { mayExpand } from './yaml-aliases.js';

/** Bytes from which on a body is worked on in several turns of the event loop. */
export const LARGE = 64 * 1024;

/** How the work on a body gives way to other requests between two steps; undefined: it is small and does all in one turn. */
export type GiveWay = VerbContext['giveWay'];

/** How the work on a body of a content type gives way. */
export function giveWayFor(bytes: Uint8Array | undefined, type = ''): GiveWay {
  return bytes !== undefined && isLargeBody(bytes, type) ? nextTurn : undefined;
}

/** Whether a body is long, or YAML that may become it. */
export function isLargeBody(bytes: Uint8Array, type: string): boolean {
  return bytes.length > LARGE || (type.endsWith('yaml') && mayExpand(bytes));
}

/** Waits for the next turn of the event loop. */
export async function nextTurn(): Promise<void> {
  await setImmediate();
}

/** Does steps that end with `yield`, each in a turn of the event loop of its own. */
export async function inTurns<T>(steps: Generator<void, T>, giveWay: NonNullable<GiveWay>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await giveWay();
  }
}
