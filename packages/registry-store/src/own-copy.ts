import { Buffer } from 'node:buffer';

/** A copy without the rest of the buffer, which would live as long. */
export function ownCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** The bytes in memory of their own: a slice of Buffer's pool retains all of it. */
export function detached(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : ownCopy(bytes);
}
