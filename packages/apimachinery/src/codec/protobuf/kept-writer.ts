import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** Maximum size in bytes of memory that is kept for the next message. */
const MAX_KEPT = 64 * 1024;

let kept: BinaryWriter | undefined;

/**
 * Encodes a message with the memory of the previous one: growing a new buffer each time costs more than the encoding.
 */
export function encodeWith(write: (writer: BinaryWriter) => void): Uint8Array {
  const writer = kept ?? new BinaryWriter();
  // Neither a failed writer nor one in use may be reused.
  kept = undefined;
  write(writer);
  const bytes = writer.finish();
  if (bytes.length <= MAX_KEPT) kept = writer;
  return bytes;
}
