import { setImmediate } from 'node:timers/promises';

/**
 * Lets so many go on in one turn of the event loop, in the order in which they came: what a round looks at is thousands of
 * services at once, and requests are to be answered between them.
 */
export function inTurns(perTurn: number): () => Promise<void> {
  let turn = Promise.resolve();
  let left = perTurn;
  return () => {
    if (left === 0) {
      turn = turn.then(() => setImmediate());
      left = perTurn;
    }
    left--;
    return turn;
  };
}
