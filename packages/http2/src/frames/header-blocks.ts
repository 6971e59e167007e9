import { withoutPadding } from './frame-reader.js';
import { protocolError } from './frame-rules.js';
import { FrameFlag, FrameType, Http2Code, Http2Error } from './frame-types.js';

/** Of a priority in a header frame. */
const PRIORITY_BYTES = 5;
/** Frames that continue a block beyond what its bytes need: some take smaller frames than they might. */
const SPARE_FRAMES = 256;

/** A header block that has come in whole. */
export interface HeaderBlock {
  readonly stream: number;
  readonly endStream: boolean;
  /** The stream that this one is said to depend on; undefined: nothing is said. */
  readonly waitsFor: number | undefined;
  readonly bytes: Buffer;
}

/** Puts header blocks together that go on in further frames. */
export class HeaderBlocks {
  readonly #maxBytes: number;
  #stream = 0;
  #endStream = false;
  #waitsFor: number | undefined = undefined;
  #parts: Buffer[] = [];
  #bytes = 0;
  #frames = 0;

  /** `maxBytes`: of one block, as it is sent. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws Http2Error when a block is under way that this frame does not continue. To be called for all frames. */
  expect(type: number, stream: number): void {
    const continues = type === FrameType.continuation;
    if (this.#stream === 0) {
      if (continues) throw protocolError('nothing is to be continued');
    } else if (!continues || stream !== this.#stream) {
      throw protocolError('a header block breaks off');
    }
  }

  /** A header frame; answers the block if that is all of it. Throws Http2Error. */
  begin(stream: number, flags: number, payload: Buffer): HeaderBlock | undefined {
    const content = (flags & FrameFlag.padded) === 0 ? payload : withoutPadding(payload);
    const hasPriority = (flags & FrameFlag.priority) !== 0;
    if (hasPriority && content.length < PRIORITY_BYTES) {
      throw new Http2Error(Http2Code.frameSizeError, 'headers end within their priority');
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

  /** A frame that continues the block; answers it if it is whole now. Throws Http2Error. */
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
