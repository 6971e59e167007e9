import { afterPromises } from './after-promises.js';

/** Milliseconds of one event loop turn for all loops that wait together. */
const TURN_MS = 5;

/** Loops that wait for a turn, the first one to be resumed first. */
const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Resolves in a later event loop turn. All callers together get a few milliseconds of each turn: a turn stays short, however many
 * of them there are.
 */
export function sliceTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    resume(waiting.length, performance.now());
  });
}

/**
 * Resumes up to `due` loops: those that ask during the turn wait for the next one. Work of a loop after its promise is
 * part of the measured time.
 */
function resume(due: number, begun: number): void {
  waiting.shift()?.();
  afterPromises(() => {
    if (due > 1 && performance.now() - begun < TURN_MS) resume(due - 1, begun);
    else schedule();
  });
}
