import { humanDuration } from '@apiserver/apimachinery/values';
import type { RowTime } from '@apiserver/apiserver-contracts';

/**
 * The time of a row that is printed once. For tests of columns: Tables print the rows that they keep again and again.
 */
export function rowTime(now: number | string): RowTime {
  const milliseconds = new Date(now).getTime();
  return { since: (time) => humanDuration(milliseconds - time) };
}
