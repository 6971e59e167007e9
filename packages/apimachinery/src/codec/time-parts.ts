import { timeMilliseconds } from '../values/time.js';

/** A canonical Time or MicroTime as protobuf's Timestamp holds it. */
export function timeParts(text: string): { readonly seconds: number; readonly nanos: number } {
  const dot = text.indexOf('.');
  const seconds = Math.floor(timeMilliseconds(text) / 1000);
  return { seconds, nanos: dot === -1 ? 0 : Number(text.slice(dot + 1, -1).padEnd(9, '0')) };
}

/** The canonical Time of a Timestamp; the fraction of a second is cut off. */
export function timeFromParts(seconds: number): string {
  return `${secondsText(seconds)}Z`;
}

/** The canonical MicroTime of a Timestamp; what is finer than a microsecond is cut off. */
export function microTimeFromParts(seconds: number, nanos: number): string {
  return `${secondsText(seconds)}.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}Z`;
}

function secondsText(seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  return iso.slice(0, iso.indexOf('.'));
}
