import { humanDuration } from './human-duration.js';

/** The time since a timestamp, for a cell. Upstream: translateTimestampSince of pkg/printers/internalversion */
export function timeSince(time: string | null | undefined, now: Date): string {
  return time ? humanDuration(now.getTime() - Date.parse(time)) : '<unknown>';
}
