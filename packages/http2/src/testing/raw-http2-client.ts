import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DEFAULT_FRAME_SIZE,
  DEFAULT_WINDOW,
  FRAME_HEADER,
  FrameFlag,
  FrameType,
  Setting,
} from '../frames/frame-types.js';
import { HpackDecoder } from '../hpack/hpack-decoder.js';
import { clientPreface, pingFrame, rawFrame, settingsFrame, windowUpdateFrame } from './raw-frames.js';

/** The response on a stream, as far as it has come. */
export interface RawResponse {
  /** Statuses of 1xx and of the response. */
  readonly statuses: number[];
  /** Fields of the head and of trailers. */
  readonly fields: (readonly [string, string])[];
  readonly chunks: Buffer[];
  bytes: number;
  ended: boolean;
  resetCode: number | undefined;
}

/** The settings of a server. */
export interface ServerSettings {
  maxConcurrentStreams: number;
  initialWindowSize: number;
  maxFrameSize: number;
  maxHeaderListSize: number | undefined;
}

/** Time limit for the reaction that a test waits for, in milliseconds. */
const PATIENCE = 10_000;

/**
 * A client of HTTP/2 whose test sends any bytes. It reads like a strict client: `violations` lists the faults of the
 * server. It returns window credit only on request.
 */
export class RawHttp2Client implements Disposable {
  readonly socket: Socket;
  readonly violations: string[] = [];
  readonly responses = new Map<number, RawResponse>();
  readonly serverSettings: ServerSettings = {
    maxConcurrentStreams: Number.POSITIVE_INFINITY,
    initialWindowSize: DEFAULT_WINDOW,
    maxFrameSize: DEFAULT_FRAME_SIZE,
    maxHeaderListSize: undefined,
  };
  /** Frames other than DATA, as "TYPE stream flags". */
  readonly log: string[] = [];
  goaway: { readonly lastStream: number; readonly code: number } | undefined;
  closed = false;
  settingsSeen = 0;
  settingsAcked = 0;
  readonly pongs: string[] = [];
  /** False if credit was sent other than by `send`. */
  countsWindows = true;
  /** False to leave SETTINGS unacknowledged, because that would interrupt the bytes of a test. */
  acknowledges = true;
  /** Windows of the connection, and of streams relative to the initial window. */
  connectionWindow = DEFAULT_WINDOW;
  readonly streamWindows = new Map<number, number>();
  readonly #decoder = new HpackDecoder(64 * 2 ** 20);
  readonly #given = new Map<number, number>();
  #givenToAll = DEFAULT_WINDOW;
  #initialGiven = DEFAULT_WINDOW;
  #received = 0;
  /** Initial windows that are not acknowledged yet; undefined: SETTINGS without one. */
  readonly #unacknowledged: (number | undefined)[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #block: { readonly stream: number; readonly flags: number; readonly parts: Buffer[] } | undefined;
  #pings = 0;
  #watchers: (() => void)[] = [];
  #acceptsAll = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#take(chunk);
      this.#changed();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
      this.#changed();
    });
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  /** Sends the preface and waits for that of the server. */
  async greet(...settings: readonly (readonly [id: number, value: number])[]): Promise<this> {
    void this.raw(clientPreface);
    void this.send(settingsFrame(...settings));
    await this.until('settings', () => this.settingsSeen > 0 && this.settingsAcked > 0);
    return this;
  }

  /** Returns credit for everything, now and later. */
  async acceptAll(): Promise<void> {
    this.#acceptsAll = true;
    await this.send(settingsFrame([Setting.initialWindowSize, 2 ** 30]), windowUpdateFrame(0, 2 ** 30));
    await this.until('settings', () => this.#unacknowledged.length === 0);
  }

  /** Sends well-formed frames and records the credit in them. */
  send(...frames: readonly Buffer[]): Promise<void> {
    for (const frame of frames) this.#note(frame);
    return this.raw(Buffer.concat(frames));
  }

  /** Sends bytes. Resolves when the system has accepted them, or the connection has ended. */
  raw(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.destroyed) resolve();
      else this.socket.write(bytes, () => resolve());
    });
  }

  /** The response on a stream; empty before the first frame. */
  response(stream: number): RawResponse {
    const response = this.responses.get(stream) ?? {
      statuses: [],
      fields: [],
      chunks: [],
      bytes: 0,
      ended: false,
      resetCode: undefined,
    };
    this.responses.set(stream, response);
    return response;
  }

  /** Waits until the response is complete, or the stream or the connection has ended. */
  async whole(stream: number): Promise<RawResponse> {
    const response = this.response(stream);
    await this.until(
      `the response on ${stream}`,
      () => response.ended || response.resetCode !== undefined || this.closed,
    );
    return response;
  }

  /** Resolves with true when the server acknowledges a PING: it has then read everything before it. */
  async ping(): Promise<boolean> {
    const name = `p${++this.#pings}`.padEnd(8);
    void this.send(pingFrame(name));
    await this.until('the acknowledgement of a ping', () => this.pongs.includes(name) || this.isOver);
    return this.pongs.includes(name);
  }

  /** True when the server has ended the connection, or has announced an error. */
  get isOver(): boolean {
    return this.closed || (this.goaway !== undefined && this.goaway.code !== 0);
  }

  /** Waits until incoming frames make `condition` true. Rejects after ten seconds. */
  async until(what: string, condition: () => boolean, patience = PATIENCE): Promise<void> {
    const end = AbortSignal.timeout(patience);
    while (!condition()) {
      if (end.aborted) throw new Error(`${what} did not come; seen: ${this.log.slice(-20).join(', ')}`);
      await Promise.race([new Promise<void>((resolve) => this.#watchers.push(resolve)), sleep(50)]);
    }
  }

  #changed(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  #note(frame: Buffer): void {
    const stream = frame.readUInt32BE(5) & 0x7fffffff;
    const type = frame[3];
    if (type === FrameType.data) {
      const length = frame.readUIntBE(0, 3);
      this.connectionWindow -= length;
      this.streamWindows.set(stream, this.windowOf(stream) - length);
    } else if (type === FrameType.windowUpdate && stream === 0) this.#givenToAll += frame.readUInt32BE(FRAME_HEADER);
    else if (type === FrameType.windowUpdate) {
      this.#given.set(stream, (this.#given.get(stream) ?? 0) + frame.readUInt32BE(FRAME_HEADER));
    } else if (type === FrameType.settings && frame[4] === 0) this.#noteSettings(frame.subarray(FRAME_HEADER));
  }

  /** A larger window counts at once, a smaller one once the server has acknowledged it. */
  #noteSettings(payload: Buffer): void {
    let initial: number | undefined;
    for (let at = 0; at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) === Setting.initialWindowSize) initial = payload.readUInt32BE(at + 2);
    }
    this.#unacknowledged.push(initial);
    if (initial !== undefined) this.#initialGiven = Math.max(this.#initialGiven, initial);
  }

  /** The window of a stream. */
  windowOf(stream: number): number {
    return this.streamWindows.get(stream) ?? this.serverSettings.initialWindowSize;
  }

  #take(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= FRAME_HEADER) {
      const end = FRAME_HEADER + bytes.readUIntBE(0, 3);
      if (end - FRAME_HEADER > DEFAULT_FRAME_SIZE) this.violations.push(`a frame of ${end} bytes`);
      if (bytes.length < end) break;
      const stream = bytes.readUInt32BE(5);
      this.#frame(bytes[3] as number, bytes[4] as number, stream, bytes.subarray(FRAME_HEADER, end));
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
  }

  #frame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type !== FrameType.data) this.log.push(`${type} ${stream} ${flags}`);
    if (this.settingsSeen === 0 && (type !== FrameType.settings || (flags & FrameFlag.ack) !== 0)) {
      this.violations.push('it does not begin with its settings');
    }
    if (this.#block !== undefined && (type !== FrameType.continuation || stream !== this.#block.stream)) {
      this.violations.push('a header block is interrupted');
    }
    if (type === FrameType.data) this.#data(stream, flags, payload);
    else if (type === FrameType.headers || type === FrameType.continuation) this.#headers(type, flags, stream, payload);
    else if (type === FrameType.reset) this.#reset(stream, payload);
    else if (type === FrameType.settings) this.#settings(flags, payload);
    else if (type === FrameType.ping) this.#pong(flags, payload);
    else if (type === FrameType.goaway) {
      this.goaway = { lastStream: payload.readUInt32BE(0) & 0x7fffffff, code: payload.readUInt32BE(4) };
    } else if (type === FrameType.windowUpdate) this.#windowUpdate(stream, payload.readUInt32BE(0));
    else this.violations.push(`a frame of type ${type}`);
  }

  #reset(stream: number, payload: Buffer): void {
    const response = this.response(stream);
    response.resetCode ??= payload.readUInt32BE(0);
  }

  #data(stream: number, flags: number, payload: Buffer): void {
    const response = this.response(stream);
    if (response.statuses.length === 0) this.violations.push(`data on ${stream} before a head`);
    this.#mustBeOpen(stream, response);
    this.#received += payload.length;
    response.bytes += payload.length;
    if (payload.length > 0 && this.countsWindows) this.#mustBeGiven(stream, response.bytes);
    if ((flags & FrameFlag.padded) !== 0) this.violations.push('padding that nobody reads here');
    response.chunks.push(payload);
    response.ended ||= (flags & FrameFlag.endStream) !== 0;
    if (this.#acceptsAll && payload.length > 0 && !this.closed) {
      void this.send(
        windowUpdateFrame(0, payload.length),
        ...(response.ended ? [] : [windowUpdateFrame(stream, payload.length)]),
      );
    }
  }

  #mustBeGiven(stream: number, bytes: number): void {
    if (this.#received > this.#givenToAll) this.violations.push('more than the connection takes');
    if (bytes > this.#initialGiven + (this.#given.get(stream) ?? 0)) this.violations.push(`more than ${stream} takes`);
  }

  #mustBeOpen(stream: number, response: RawResponse): void {
    if (response.ended || response.resetCode !== undefined) {
      this.violations.push(`something on ${stream} behind its end`);
    }
  }

  #headers(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === FrameType.headers) {
      this.#mustBeOpen(stream, this.response(stream));
      this.#block = { stream, flags, parts: [] };
    }
    const block = this.#block;
    if (block === undefined) {
      this.violations.push('unexpected CONTINUATION');
      return;
    }
    block.parts.push(payload);
    if ((flags & FrameFlag.endHeaders) === 0) return;
    this.#block = undefined;
    const response = this.response(stream);
    this.#decoder.decode(Buffer.concat(block.parts), ({ name, value }) => {
      if (name === ':status') response.statuses.push(Number(value));
      else response.fields.push([name, value]);
    });
    response.ended ||= (block.flags & FrameFlag.endStream) !== 0;
  }

  #settings(flags: number, payload: Buffer): void {
    if ((flags & FrameFlag.ack) !== 0) {
      this.settingsAcked++;
      const initial = this.#unacknowledged.shift();
      if (initial !== undefined) this.#initialGiven = initial;
      return;
    }
    this.settingsSeen++;
    for (let at = 0; at < payload.length; at += 6) {
      this.#setting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    }
    if (this.acknowledges) void this.raw(rawFrame(FrameType.settings, FrameFlag.ack, 0));
  }

  #setting(id: number, value: number): void {
    if (id === Setting.maxConcurrentStreams) this.serverSettings.maxConcurrentStreams = value;
    if (id === Setting.initialWindowSize) this.serverSettings.initialWindowSize = value;
    if (id === Setting.maxFrameSize) this.serverSettings.maxFrameSize = value;
    if (id === Setting.maxHeaderListSize) this.serverSettings.maxHeaderListSize = value;
  }

  #pong(flags: number, payload: Buffer): void {
    if ((flags & FrameFlag.ack) !== 0) this.pongs.push(payload.toString('latin1'));
    else if (this.acknowledges) void this.raw(rawFrame(FrameType.ping, FrameFlag.ack, 0, payload));
  }

  #windowUpdate(stream: number, by: number): void {
    if (by === 0) this.violations.push('a window that is enlarged by nothing');
    if (stream === 0) this.connectionWindow += by;
    else this.streamWindows.set(stream, this.windowOf(stream) + by);
  }
}
