import { withoutPadding } from './frame-reader.js';
import { protocolError } from './frame-rules.js';
import { FrameFlag, FrameType, Http2Code, Http2Error } from './frame-types.js';

/** Length of the priority fields in a HEADERS frame. */
const PRIORITY_BYTES = 5;
/** Number of CONTINUATION frames allowed for one block. Some clients send small frames. */
const SPARE_FRAMES = 256;

/** A fragment of a header block. */
export interface HeaderFragment {
  readonly stream: number;
  /** The block is the last one of its stream. */
  readonly endStream: boolean;
  /** The stream that the priority fields name as dependency; undefined without priority fields. */
  readonly waitsFor: number | undefined;
  readonly bytes: Buffer;
  /** The block ends here. */
  readonly isLast: boolean;
}

/** Follows header blocks through the CONTINUATION frames that continue them. */
export class HeaderBlocks {
  /** The beginning of a block that continues. */
  #first: HeaderFragment | undefined = undefined;
  #frames = 0;

  /** Throws Http2Error when this frame interrupts a header block. To be called for every frame. */
  expect(type: number, stream: number): void {
    const continues = type === FrameType.continuation;
    if (this.#first === undefined) {
      if (continues) throw protocolError('unexpected CONTINUATION');
    } else if (!continues || stream !== this.#first.stream) {
      throw protocolError('a header block is interrupted');
    }
  }

  /** Takes a HEADERS frame. Throws Http2Error. */
  begin(stream: number, flags: number, payload: Buffer): HeaderFragment {
    const content = (flags & FrameFlag.padded) === 0 ? payload : withoutPadding(payload);
    const hasPriority = (flags & FrameFlag.priority) !== 0;
    if (hasPriority && content.length < PRIORITY_BYTES) {
      throw new Http2Error(Http2Code.frameSizeError, 'a HEADERS frame is shorter than its priority');
    }
    const waitsFor = hasPriority ? content.readUInt32BE(0) & 0x7fffffff : undefined;
    const bytes = hasPriority ? content.subarray(PRIORITY_BYTES) : content;
    const endStream = (flags & FrameFlag.endStream) !== 0;
    const isLast = (flags & FrameFlag.endHeaders) !== 0;
    const first = { stream, endStream, waitsFor, bytes, isLast };
    if (!isLast) this.#first = { ...first, bytes: Buffer.alloc(0) };
    this.#frames = 0;
    return first;
  }

  /** Takes a CONTINUATION frame. Throws Http2Error. */
  continue(flags: number, payload: Buffer): HeaderFragment {
    const first = this.#first;
    if (first === undefined) throw protocolError('unexpected CONTINUATION');
    if (++this.#frames > SPARE_FRAMES) throw protocolError('a header block is too large');
    const isLast = (flags & FrameFlag.endHeaders) !== 0;
    if (isLast) this.#first = undefined;
    return { ...first, bytes: payload, isLast };
  }
}
