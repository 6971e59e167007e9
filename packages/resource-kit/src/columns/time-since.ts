import type { RowTime } from '@apiserver/apiserver-contracts';

/** The time since a timestamp, for a cell. Upstream: translateTimestampSince of pkg/printers/internalversion */
export function timeSince(time: string | null | undefined, now: RowTime): string {
  return time ? now.since(Date.parse(time)) : '<unknown>';
}
