import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { FrameReader } from '../spdy/frame-reader.js';
import { type ControlFrame, encodeFrame, encodeNumbers, FLAG_FIN, frameType, streamIdOf } from '../spdy/frames.js';
import { HeaderBlockWriter } from '../spdy/header-block.js';
import { SpdyStream, type StreamCarrier } from '../spdy/spdy-stream.js';
import { HeaderBlockReader } from './header-block-reader.js';

/** A stream that a client has opened. */
export interface AcceptedStream {
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: SpdyStream;
}

/** The server side of a SPDY/3.1 connection, as a kubelet has it. */
export class SpdyServer implements StreamCarrier {
  readonly #socket: Duplex;
  readonly #frames = new FrameReader();
  readonly #writer = new HeaderBlockWriter();
  readonly #reader = new HeaderBlockReader();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #accept: (accepted: AcceptedStream) => void;
  /** Number of pings received. */
  pings = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(socket: Duplex, head: Uint8Array, accept: (accepted: AcceptedStream) => void) {
    this.#socket = socket;
    this.#accept = accept;
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.once('end', () => socket.end(() => socket.destroy()));
    socket.once('close', () => {
      for (const stream of this.#streams.values()) stream.destroy();
    });
    if (head.length > 0) this.#receive(head);
  }

  sendData(streamId: number, data: Uint8Array, fin: boolean, callback: (error?: Error | null) => void): void {
    this.#socket.write(encodeFrame({ kind: 'data', streamId, fin, data }), callback);
  }

  reset(streamId: number): void {
    this.#control(frameType.rstStream, encodeNumbers(streamId, 5));
  }

  wantMore(): void {}

  /** Parses header blocks one after the other; later frames wait for them. */
  #receive(bytes: Uint8Array): void {
    for (const frame of this.#frames.read(Buffer.from(bytes))) {
      this.#turn = this.#turn.then(() =>
        frame.kind === 'control'
          ? this.#handle(frame)
          : void this.#streams.get(frame.streamId)?.receive(frame.data, frame.fin),
      );
    }
  }

  async #handle(frame: ControlFrame): Promise<void> {
    if (frame.type === frameType.ping) {
      this.pings++;
      this.#control(frameType.ping, frame.body);
    }
    if (frame.type === frameType.rstStream) this.#streams.get(streamIdOf(frame))?.receive(new Uint8Array(), true);
    if (frame.type !== frameType.synStream) return;
    const id = streamIdOf(frame);
    const stream = new SpdyStream(id, this);
    stream.on('error', () => {});
    this.#streams.set(id, stream);
    const headers = await this.#reader.read(frame.body.subarray(10));
    this.#control(frameType.synReply, Buffer.concat([encodeNumbers(id), this.#writer.write({})]));
    if (frame.flags & FLAG_FIN) stream.receive(new Uint8Array(), true);
    this.#accept({ headers, stream });
  }

  #control(type: number, body: Uint8Array): void {
    if (!this.#socket.destroyed) this.#socket.write(encodeFrame({ kind: 'control', type, flags: 0, body }));
  }
}
