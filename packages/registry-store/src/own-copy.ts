import { Buffer } from 'node:buffer';

/** A copy without the rest of the buffer, which would live as long. */
export function ownCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
