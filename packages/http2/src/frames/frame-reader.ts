import { DEFAULT_FRAME_SIZE, FRAME_HEADER, FrameFlag, FrameType, Http2Code, Http2Error } from './frame-types.js';
import { GatheredBytes } from './gathered-bytes.js';

/** Handlers of the frames of a connection. The buffers are views, which a handler may keep. */
export interface FrameHandlers {
  /** A frame of any type other than DATA. */
  frame(type: number, flags: number, stream: number, payload: Buffer): void;
  /**
   * A part of a DATA frame. `endStream` is true with the last part of the last frame. `padding`: bytes of padding that
   * count in the windows.
   */
  data(stream: number, chunk: Buffer, endStream: boolean, padding: number): void;
}

/** Splits the chunks of a socket, which end anywhere, into frames. DATA is passed on as it arrives. */
export class FrameReader {
  readonly #handlers: FrameHandlers;
  readonly #maxFrameSize: number;
  /** Bytes of an incomplete frame, or bytes that came after `suspend`. */
  readonly #waiting = new GatheredBytes();
  /** Number of bytes needed before the next frame can be passed on. */
  #wanted = 0;
  #type = 0;
  #flags = 0;
  #stream = 0;
  /** Missing bytes of the current DATA frame. */
  #missing = 0;
  #suspended = false;

  /** `maxFrameSize`: largest payload of a frame, as SETTINGS_MAX_FRAME_SIZE announces it. */
  constructor(handlers: FrameHandlers, maxFrameSize = DEFAULT_FRAME_SIZE) {
    this.#handlers = handlers;
    this.#maxFrameSize = maxFrameSize;
  }

  /** Number of bytes held back since `suspend`. */
  get held(): number {
    return this.#suspended ? this.#waiting.length : 0;
  }

  /** Throws Http2Error for a malformed frame. */
  push(chunk: Buffer): void {
    if (this.#waiting.length === 0 && !this.#suspended) {
      this.#read(chunk);
      return;
    }
    this.#waiting.push(chunk);
    if (!this.#suspended && this.#waiting.length >= this.#wanted) this.#read(this.#waiting.take());
  }

  /** Passes on no further frame until `resume`. To be called from a handler. */
  suspend(): void {
    this.#suspended = true;
  }

  /** Throws Http2Error for a malformed frame. */
  resume(): void {
    this.#suspended = false;
    if (this.#waiting.length > 0) this.#read(this.#waiting.take());
  }

  #read(bytes: Buffer): void {
    this.#wanted = 0;
    let at = 0;
    while (at < bytes.length && !this.#suspended) {
      const next = this.#missing > 0 ? this.#data(bytes, at) : this.#frame(bytes, at);
      if (next === at) break;
      at = next;
    }
    if (at < bytes.length) this.#waiting.push(bytes.subarray(at));
  }

  /** Returns the offset of the next frame, or `at` when the frame is incomplete. */
  #frame(bytes: Buffer, at: number): number {
    const begin = at + FRAME_HEADER;
    if (begin > bytes.length) return this.#wait(at, FRAME_HEADER);
    const length = bytes.readUIntBE(at, 3);
    if (length > this.#maxFrameSize) throw new Http2Error(Http2Code.frameSizeError, `a frame has ${length} bytes`);
    this.#type = bytes[at + 3] as number;
    this.#flags = bytes[at + 4] as number;
    this.#stream = bytes.readUInt32BE(at + 5) & 0x7fffffff;
    if (this.#type === FrameType.data && length > 0 && (this.#flags & FrameFlag.padded) === 0) {
      this.#missing = length;
      return begin;
    }
    const end = begin + length;
    if (end > bytes.length) return this.#wait(at, FRAME_HEADER + length);
    this.#whole(bytes.subarray(begin, end));
    return end;
  }

  #wait(at: number, wanted: number): number {
    this.#wanted = wanted;
    return at;
  }

  #whole(payload: Buffer): void {
    if (this.#type !== FrameType.data) {
      this.#handlers.frame(this.#type, this.#flags, this.#stream, payload);
      return;
    }
    const content = (this.#flags & FrameFlag.padded) === 0 ? payload : withoutPadding(payload);
    this.#handlers.data(this.#stream, content, this.#ends, payload.length - content.length);
  }

  /** Passes on the available part of a DATA frame. */
  #data(bytes: Buffer, at: number): number {
    const end = Math.min(at + this.#missing, bytes.length);
    this.#missing -= end - at;
    this.#handlers.data(this.#stream, bytes.subarray(at, end), this.#missing === 0 && this.#ends, 0);
    return end;
  }

  get #ends(): boolean {
    return (this.#flags & FrameFlag.endStream) !== 0;
  }
}

/** The content of a padded frame, whose first byte is the length of the padding. Throws Http2Error. */
export function withoutPadding(payload: Buffer): Buffer {
  const padding = payload[0] ?? payload.length;
  if (padding >= payload.length) throw new Http2Error(Http2Code.protocolError, 'the padding exceeds the frame');
  return payload.subarray(1, payload.length - padding);
}
