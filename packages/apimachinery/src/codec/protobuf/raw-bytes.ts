import { writeRaw } from '../json/encode-json.js';

/** A frozen value that was written. */
interface Written {
  readonly value: object;
  /** Its JSON, from the second time on: most values are written once. */
  bytes: Uint8Array | undefined;
}

/** Shapes of objects that clients write at the same time. */
const KEPT = 8;
/** Size in bytes from which neither a value nor its JSON is kept: they would outlive their object and its server. */
const TOO_LARGE = 4 * 1024;

/** The newest first. A WeakMap would let the bytes survive collections. */
const recent: Written[] = [];

/**
 * A raw value as JSON. A frozen one that was written of late is found again: all new objects of one shape have the same
 * `fieldsV1`.
 */
export function rawBytes(value: unknown): Uint8Array {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return Buffer.from(writeRaw(value));
  for (const written of recent) if (written.value === value) return bytesAgain(written);
  const bytes = Buffer.from(writeRaw(value));
  if (bytes.length >= TOO_LARGE) return bytes;
  if (recent.length === KEPT) recent.pop();
  recent.unshift({ value, bytes: undefined });
  return bytes;
}

function bytesAgain(written: Written): Uint8Array {
  // A slice of Buffer's pool would retain all of it.
  written.bytes ??= new Uint8Array(Buffer.from(writeRaw(written.value)));
  return written.bytes;
}
