import type { ServerStream } from './server-stream.js';

/** The streams of a connection, and how patient it is with them. */
export interface StalledStreams {
  readonly streams: readonly ServerStream[];
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Milliseconds that a stream may wait for its reader. */
  readonly patience: number;
  /** Milliseconds that a stream may wait for the readers of others; undefined: as long as those take anything. */
  readonly starvation: number | undefined;
  /** Monotonic milliseconds since when the connection has no window, and was given none; 0: it has. */
  readonly blockedSince: number;
}

/**
 * The streams to be broken off because nobody reads them. A stream with a window of its own waits for the connection's, which
 * others have used up: of those goes the one that most bytes are unread of, be it patient.
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

/** Waits for the connection's window longer than anybody should. */
function isStarved(stream: ServerStream, { now, patience, blockedSince }: StalledStreams): boolean {
  if (blockedSince === 0 || stream.stuckSince === 0 || stream.isPatient || stream.sendWindow <= 0) return false;
  return now - Math.max(blockedSince, stream.stuckSince) >= patience;
}
