import type { Clock } from './clock.js';

/**
 * Reports whether `milliseconds` have passed since a time of the clock. A clock that was set back to before that time
 * counts as passed: else, what is kept for seconds would stay for as long as the clock was set back.
 */
export function hasElapsed(clock: Pick<Clock, 'now'>, since: number, milliseconds: number): boolean {
  const passed = clock.now() - since;
  return passed >= milliseconds || passed < 0;
}
