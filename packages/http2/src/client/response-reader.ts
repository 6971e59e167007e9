import { FrameReader } from '../frames/frame-reader.js';
import { checkFrame, checkSetting, protocolError } from '../frames/frame-rules.js';
import { FrameFlag, FrameType, Http2Code, Http2Error, Setting } from '../frames/frame-types.js';
import { HeaderBlocks, type HeaderFragment } from '../frames/header-blocks.js';
import { ReceiveWindow } from '../frames/receive-window.js';
import type { StreamTable } from '../frames/stream-table.js';
import { HpackDecoder } from '../hpack/hpack-decoder.js';
import { CONNECTION_WINDOW, STREAM_WINDOW } from './client-preface.js';
import type { Http2ClientStream } from './http2-client-stream.js';
import type { RequestSender } from './request-sender.js';

const MAX_HEADER_BLOCK = 256 * 1024;
/** Limit for unread acknowledgements of PING and SETTINGS, far above those in normal operation. */
const MAX_UNREAD_REPLIES = 10_000;

/** Handlers of the events that the frames of a server cause. */
export interface ReaderOwner {
  /** True when all output is sent. */
  readonly allIsSent: boolean;
  /** The first SETTINGS have arrived. */
  ready(): void;
  /** The response is complete. */
  ended(stream: Http2ClientStream): void;
  wasReset(stream: Http2ClientStream, code: number): void;
  /** GOAWAY with its reason: the peer processes no stream after `lastId`. */
  goaway(lastId: number, reason: string): void;
  /** An acknowledgement of PING has arrived. */
  ponged(): void;
}

/** Dependencies of a reader. */
export interface ResponseReaderDependencies {
  readonly streams: StreamTable<Http2ClientStream>;
  readonly sender: RequestSender;
  readonly owner: ReaderOwner;
}

/**
 * The receiving side of a connection. It passes frames to their streams, sends acknowledgements, and returns window
 * credit for consumed bytes. Upstream: RFC 9113
 */
export class ResponseReader {
  readonly #streams: StreamTable<Http2ClientStream>;
  readonly #sender: RequestSender;
  readonly #owner: ReaderOwner;
  readonly #frames = new FrameReader({
    frame: (type, flags, id, payload) => this.#frame(type, flags, id, payload),
    data: (id, chunk, endStream, padding) => this.#data(id, chunk, endStream, padding),
  });
  readonly #blocks = new HeaderBlocks();
  readonly #headers = new HpackDecoder(MAX_HEADER_BLOCK);
  readonly #window = new ReceiveWindow(CONNECTION_WINDOW, CONNECTION_WINDOW / 2 + 1);
  #unreadReplies = 0;
  #isReady = false;
  #isStopped = false;

  constructor({ streams, sender, owner }: ResponseReaderDependencies) {
    this.#streams = streams;
    this.#sender = sender;
    this.#owner = owner;
  }

  /** Takes received bytes. Throws Http2Error for violations of the protocol. */
  push(chunk: Buffer): void {
    this.#frames.push(chunk);
  }

  /** Ignores all further frames. */
  stop(): void {
    this.#isStopped = true;
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#isStopped) return;
    checkFrame(type, flags, id, payload.length);
    if (!this.#isReady && (type !== FrameType.settings || (flags & FrameFlag.ack) !== 0)) {
      throw protocolError('the first frame of the server is not SETTINGS');
    }
    this.#blocks.expect(type, id);
    if (type === FrameType.headers) this.#beginBlock(id, flags, payload);
    else if (type === FrameType.continuation) this.#headersOf(this.#blocks.continue(flags, payload));
    else if (type === FrameType.reset) this.#wasReset(id, payload);
    else if (type === FrameType.settings) this.#settings(flags, payload);
    else if (type === FrameType.ping) this.#pinged(flags, payload);
    else if (type === FrameType.goaway) this.#goaway(payload);
    else if (type === FrameType.windowUpdate) this.#windowUpdate(id, payload);
    else if (type === FrameType.pushPromise) throw protocolError('push is disabled');
  }

  /** Throws Http2Error for the connection itself and for streams that were never opened. */
  #expectOpened(id: number): void {
    if (id % 2 === 0 || id > this.#sender.sentId) throw protocolError(`the client has not opened stream ${id}`);
  }

  #beginBlock(id: number, flags: number, payload: Buffer): void {
    this.#expectOpened(id);
    this.#headersOf(this.#blocks.begin(id, flags, payload));
  }

  /** Blocks of closed streams are decoded too: later blocks refer to them. */
  #headersOf(fragment: HeaderFragment): void {
    const stream = this.#streams.get(fragment.stream);
    this.#headers.write(fragment.bytes, (field) => {
      if (stream?.closed === false) stream.handlers.header(field);
    });
    if (!fragment.isLast) return;
    if (!this.#headers.finish()) throw new Http2Error(Http2Code.enhanceYourCalm, 'the headers are too large');
    if (stream !== undefined && fragment.endStream) this.#owner.ended(stream);
  }

  #data(id: number, chunk: Buffer, endStream: boolean, padding: number): void {
    if (this.#isStopped) return;
    this.#blocks.expect(FrameType.data, id);
    this.#expectOpened(id);
    const size = chunk.length + padding;
    this.#takeFromConnection(size);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.received += size;
    if (stream.received > STREAM_WINDOW / 2 && !endStream) {
      this.#sender.frame32(FrameType.windowUpdate, id, stream.received);
      stream.received = 0;
    }
    stream.handlers.data(chunk);
    if (endStream) this.#owner.ended(stream);
  }

  /** Credit is returned for closed streams too, so that their bytes do not use up the window. */
  #takeFromConnection(size: number): void {
    if (!this.#window.receive(size)) throw new Http2Error(Http2Code.flowControlError, 'the window is too small');
    const credit = this.#window.take(size);
    if (credit > 0) this.#sender.frame32(FrameType.windowUpdate, 0, credit);
  }

  #wasReset(id: number, payload: Buffer): void {
    this.#expectOpened(id);
    const stream = this.#streams.get(id);
    if (stream !== undefined) this.#owner.wasReset(stream, payload.readUInt32BE(0));
  }

  #settings(flags: number, payload: Buffer): void {
    if ((flags & FrameFlag.ack) !== 0) return;
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      this.#setting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    }
    this.#acknowledge(FrameType.settings, new Uint8Array(0));
    if (this.#isReady) return;
    this.#isReady = true;
    this.#owner.ready();
  }

  #setting(id: number, value: number): void {
    checkSetting(id, value);
    if (id === Setting.enablePush && value !== 0) throw protocolError('a server must not enable push');
    if (id === Setting.maxConcurrentStreams) this.#sender.maxStreams = value;
    else if (id === Setting.maxFrameSize) this.#sender.maxFrame = value;
    else if (id === Setting.initialWindowSize) this.#sender.initialWindow = value;
  }

  #pinged(flags: number, payload: Buffer): void {
    if ((flags & FrameFlag.ack) !== 0) this.#owner.ponged();
    else this.#acknowledge(FrameType.ping, payload);
  }

  /** A peer that sends PING and SETTINGS but reads nothing must not exhaust the memory. */
  #acknowledge(type: number, payload: Uint8Array): void {
    if (this.#owner.allIsSent) this.#unreadReplies = 0;
    if (++this.#unreadReplies > MAX_UNREAD_REPLIES) {
      throw new Http2Error(Http2Code.enhanceYourCalm, 'the server does not read acknowledgements');
    }
    this.#sender.frame(type, FrameFlag.ack, 0, payload);
  }

  #goaway(payload: Buffer): void {
    const code = payload.readUInt32BE(4);
    const text = JSON.stringify(payload.toString('latin1', 8, 200));
    this.#owner.goaway(payload.readUInt32BE(0) & 0x7fffffff, code === Http2Code.noError ? '' : `: ${code} ${text}`);
  }

  #windowUpdate(id: number, payload: Buffer): void {
    if (id !== 0) this.#expectOpened(id);
    const by = payload.readUInt32BE(0) & 0x7fffffff;
    if (by === 0) throw protocolError('a window update has no increment');
    const stream = this.#streams.get(id);
    if (id === 0) this.#sender.enlarge(by);
    else if (stream !== undefined) this.#sender.enlargeStream(stream, by);
  }
}
