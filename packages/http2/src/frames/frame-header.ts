import { FRAME_HEADER } from './frame-types.js';

/** What stands before a frame's payload. */
export interface FrameHeader {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Bytes of the payload. */
  readonly length: number;
}

/** Writes the nine bytes before a payload; answers where the payload begins. */
export function writeFrameHeader(memory: Uint8Array, at: number, { type, flags, stream, length }: FrameHeader): number {
  memory[at] = length >>> 16;
  memory[at + 1] = length >>> 8;
  memory[at + 2] = length;
  memory[at + 3] = type;
  memory[at + 4] = flags;
  memory[at + 5] = stream >>> 24;
  memory[at + 6] = stream >>> 16;
  memory[at + 7] = stream >>> 8;
  memory[at + 8] = stream;
  return at + FRAME_HEADER;
}
