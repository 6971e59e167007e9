import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { CallFrame, CallStacks } from './call-stacks.js';

/** Encodes a profile for `go tool pprof`: gzipped protobuf. */
export async function encodePprof({ types, period, started, duration, stacks }: CallStacks): Promise<Uint8Array> {
  const { Profile, StringTable } = await import('pprof-format');
  const strings = new StringTable();
  const typeOf = ({ type, unit }: { readonly type: string; readonly unit: string }) => ({
    type: strings.dedup(type),
    unit: strings.dedup(unit),
  });
  const locations = new Map<string, number>();
  const frames: CallFrame[] = [];
  const locationOf = (frame: CallFrame) => {
    const key = `${frame.functionName}\u0000${frame.url}\u0000${frame.lineNumber}`;
    const known = locations.get(key) ?? frames.push(frame);
    locations.set(key, known);
    return known;
  };
  const sample = stacks.map((stack) => ({ locationId: stack.frames.map(locationOf), value: [...stack.values] }));
  const profile = new Profile({
    sampleType: types.map(typeOf),
    sample,
    // One function for each location: V8 reports lines of functions, not of calls.
    location: frames.map(({ lineNumber }, i) => ({ id: i + 1, line: [{ functionId: i + 1, line: lineNumber + 1 }] })),
    function: frames.map(({ functionName, url, lineNumber }, i) => ({
      id: i + 1,
      name: strings.dedup(functionName || '(anonymous)'),
      filename: strings.dedup(url),
      startLine: lineNumber + 1,
    })),
    stringTable: strings,
    timeNanos: BigInt(started) * 1_000_000n,
    durationNanos: BigInt(Math.round(duration * 1e6)),
    periodType: typeOf(period),
    period: period.value,
  });
  return promisify(gzip)(profile.encode());
}
