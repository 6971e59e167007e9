import { DEFAULT_FRAME_SIZE, FRAME_HEADER, FrameFlag, FrameType, Http2Code, Http2Error } from './frame-types.js';

/** Gets what a connection brings. What it is handed are views, which may be kept. */
export interface FrameHandlers {
  /** Every frame but those of data. */
  frame(type: number, flags: number, stream: number, payload: Buffer): void;
  /** A part of a data frame; `endStream` with the last part of the last one. `padding`: bytes beside it in the windows. */
  data(stream: number, chunk: Buffer, endStream: boolean, padding: number): void;
}

/** Cuts what comes from a socket, in chunks that end anywhere, into frames. Data is handed on as it comes. */
export class FrameReader {
  readonly #handlers: FrameHandlers;
  #rest: Buffer | undefined;
  #type = 0;
  #flags = 0;
  #stream = 0;
  /** Bytes of a data frame that have not come yet. */
  #missing = 0;
  #suspended = false;

  constructor(handlers: FrameHandlers) {
    this.#handlers = handlers;
  }

  /** Bytes that wait: for the rest of their frame, or because nothing may be handed on. */
  get waiting(): number {
    return this.#rest?.length ?? 0;
  }

  /** Throws Http2Error for what is no frame. */
  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    this.#read(bytes);
  }

  /** Hands nothing on, from the next frame on, until `resume`. To be called from a handler. */
  suspend(): void {
    this.#suspended = true;
  }

  /** Throws Http2Error for what is no frame. */
  resume(): void {
    this.#suspended = false;
    const bytes = this.#rest;
    this.#rest = undefined;
    if (bytes !== undefined) this.#read(bytes);
  }

  #read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && !this.#suspended) {
      const next = this.#missing > 0 ? this.#data(bytes, at) : this.#frame(bytes, at);
      if (next === at) break;
      at = next;
    }
    if (at < bytes.length) this.#rest = bytes.subarray(at);
  }

  /** Answers where the next begins; `at` itself: more has to come. */
  #frame(bytes: Buffer, at: number): number {
    const begin = at + FRAME_HEADER;
    if (begin > bytes.length) return at;
    const length = bytes.readUIntBE(at, 3);
    if (length > DEFAULT_FRAME_SIZE) throw new Http2Error(Http2Code.frameSizeError, `a frame has ${length} bytes`);
    this.#type = bytes[at + 3] as number;
    this.#flags = bytes[at + 4] as number;
    this.#stream = bytes.readUInt32BE(at + 5) & 0x7fffffff;
    if (this.#type === FrameType.data && length > 0 && (this.#flags & FrameFlag.padded) === 0) {
      this.#missing = length;
      return begin;
    }
    const end = begin + length;
    if (end > bytes.length) return at;
    this.#whole(bytes.subarray(begin, end));
    return end;
  }

  #whole(payload: Buffer): void {
    if (this.#type !== FrameType.data) {
      this.#handlers.frame(this.#type, this.#flags, this.#stream, payload);
      return;
    }
    const content = (this.#flags & FrameFlag.padded) === 0 ? payload : withoutPadding(payload);
    this.#handlers.data(this.#stream, content, this.#ends, payload.length - content.length);
  }

  /** As much of a data frame as there is. */
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

/** The content of a padded frame: its first byte tells how many follow the content. Throws Http2Error. */
export function withoutPadding(payload: Buffer): Buffer {
  const padding = payload[0] ?? payload.length;
  if (padding >= payload.length) throw new Http2Error(Http2Code.protocolError, 'a frame is nothing but padding');
  return payload.subarray(1, payload.length - padding);
}
