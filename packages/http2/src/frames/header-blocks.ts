import { withoutPadding } from './frame-reader.js';
import { protocolError } from './frame-rules.js';
import { FrameFlag, FrameType, Http2Code, Http2Error } from './frame-types.js';

/** Length of the priority fields in a HEADERS frame. */
const PRIORITY_BYTES = 5;
/** Number of CONTINUATION frames allowed for one block. Some clients send small frames. */
const SPARE_FRAMES = 256;

/** A complete header block. */
export interface HeaderBlock {
  readonly stream: number;
  readonly endStream: boolean;
  /** The stream that the priority fields name as dependency; undefined without priority fields. */
  readonly waitsFor: number | undefined;
  readonly bytes: Buffer;
}

/** Joins header blocks that CONTINUATION frames continue. */
export class HeaderBlocks {
  readonly #maxBytes: number;
  #stream = 0;
  #endStream = false;
  #waitsFor: number | undefined = undefined;
  #parts: Buffer[] = [];
  #bytes = 0;
  #frames = 0;

  /** `maxBytes`: largest encoded block. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws Http2Error when this frame interrupts a header block. To be called for every frame. */
  expect(type: number, stream: number): void {
    const continues = type === FrameType.continuation;
    if (this.#stream === 0) {
      if (continues) throw protocolError('unexpected CONTINUATION');
    } else if (!continues || stream !== this.#stream) {
      throw protocolError('a header block is interrupted');
    }
  }

  /** Takes a HEADERS frame. Returns the block if it is complete. Throws Http2Error. */
  begin(stream: number, flags: number, payload: Buffer): HeaderBlock | undefined {
    const content = (flags & FrameFlag.padded) === 0 ? payload : withoutPadding(payload);
    const hasPriority = (flags & FrameFlag.priority) !== 0;
    if (hasPriority && content.length < PRIORITY_BYTES) {
      throw new Http2Error(Http2Code.frameSizeError, 'a HEADERS frame is shorter than its priority');
    }
    const waitsFor = hasPriority ? content.readUInt32BE(0) & 0x7fffffff : undefined;
    const part = hasPriority ? content.subarray(PRIORITY_BYTES) : content;
    const endStream = (flags & FrameFlag.endStream) !== 0;
    if ((flags & FrameFlag.endHeaders) !== 0) return { stream, endStream, waitsFor, bytes: part };
    this.#stream = stream;
    this.#endStream = endStream;
    this.#waitsFor = waitsFor;
    this.#parts = [part];
    this.#bytes = part.length;
    this.#frames = 0;
    return undefined;
  }

  /** Takes a CONTINUATION frame. Returns the block if it is complete now. Throws Http2Error. */
  continue(flags: number, payload: Buffer): HeaderBlock | undefined {
    if (payload.length > 0) this.#parts.push(payload);
    this.#bytes += payload.length;
    if (this.#bytes > this.#maxBytes || ++this.#frames > SPARE_FRAMES)
      throw protocolError('a header block is too large');
    if ((flags & FrameFlag.endHeaders) === 0) return undefined;
    const block = {
      stream: this.#stream,
      endStream: this.#endStream,
      waitsFor: this.#waitsFor,
      bytes: Buffer.concat(this.#parts),
    };
    this.#stream = 0;
    this.#parts = [];
    return block;
  }
}
