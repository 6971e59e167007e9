import type { ServerStream } from './server-stream.js';

/** The streams of a connection and its time limits. */
export interface StalledStreams {
  readonly streams: readonly ServerStream[];
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Time that a stream may wait for its reader, in milliseconds. */
  readonly patience: number;
  /** Time that a stream may wait for the readers of other streams; undefined: as long as those read. */
  readonly starvation: number | undefined;
  /** Monotonic milliseconds since when the window of the connection is exhausted and gets no credit; 0: it is open. */
  readonly blockedSince: number;
}

/**
 * The streams to reset because their clients do not read. A stream with a window of its own may wait for the window of
 * the connection, which other streams have used up. Then the stream with the most unread bytes is reset, even a patient
 * one.
 */
export function stalledStreams(state: StalledStreams): readonly ServerStream[] {
  const { streams, now, patience, starvation } = state;
  const isStalled = (stream: ServerStream) => {
    if (stream.stuckSince === 0 || stream.isPatient) return false;
    const limit = stream.sendWindow > 0 ? starvation : patience;
    return limit !== undefined && now - stream.stuckSince >= limit;
  };
  const stalled = streams.filter(isStalled);
  if (stalled.length > 0) return stalled;
  const starved = streams.filter((stream) => isStarved(stream, state));
  if (starved.length === 0) return [];
  const holder = streams.reduce((most, stream) => (stream.untaken > most.untaken ? stream : most));
  return holder.untaken > 0 ? [holder] : starved;
}

/** True when the stream has waited too long for the window of the connection. */
function isStarved(stream: ServerStream, { now, patience, blockedSince }: StalledStreams): boolean {
  if (blockedSince === 0 || stream.stuckSince === 0 || stream.isPatient || stream.sendWindow <= 0) return false;
  return now - Math.max(blockedSince, stream.stuckSince) >= patience;
}
