import { writeRaw } from '../json/encode-json.js';

/** A frozen value that was written. */
interface Written {
  readonly value: object;
  /** Its JSON, from the second time on: most values are written once. */
  bytes: Uint8Array | undefined;
}

/** Shapes of objects that clients write at the same time. */
const KEPT = 8;
/** Size in bytes from which JSON is not kept. */
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
  if (recent.length === KEPT) recent.pop();
  recent.unshift({ value, bytes: undefined });
  return Buffer.from(writeRaw(value));
}

function bytesAgain(written: Written): Uint8Array {
  if (written.bytes !== undefined) return written.bytes;
  const bytes = Buffer.from(writeRaw(written.value));
  // A slice of Buffer's pool would retain all of it.
  if (bytes.length < TOO_LARGE) written.bytes = new Uint8Array(bytes);
  return bytes;
}
