import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** Memory that is kept for the next message. */
const MAX_KEPT = 64 * 1024;

let kept: BinaryWriter | undefined;

/** Encodes a message with the memory of the one before: growing anew each time costs more than the encoding. */
export function encodeWith(write: (writer: BinaryWriter) => void): Uint8Array {
  const writer = kept ?? new BinaryWriter();
  // One that failed is not used again, nor one that is in use.
  kept = undefined;
  write(writer);
  const bytes = writer.finish();
  if (bytes.length <= MAX_KEPT) kept = writer;
  return bytes;
}
