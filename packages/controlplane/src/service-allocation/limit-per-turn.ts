import { setImmediate } from 'node:timers/promises';

/**
 * Lets `perTurn` callers continue per event loop turn, in order. A round checks thousands of services, and the server
 * must respond to requests in between.
 */
export function limitPerTurn(perTurn: number): () => Promise<void> {
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
