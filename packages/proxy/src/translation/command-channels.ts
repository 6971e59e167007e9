import { Buffer } from 'node:buffer';
import type { RawData, WebSocket } from 'ws';
import { IDLE_CONNECTION_TIMEOUT, IdleTimer } from '../websocket/idle-timer.js';
import { sendMessage } from '../websocket/send-message.js';
import type { CommandStatus } from './remote-command.js';

/** The streams that a client requests. */
export interface CommandStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/**
 * The channel is the first byte of every message.
 * Upstream: StreamStdIn … of k8s.io/apimachinery/pkg/util/remotecommand
 */
export const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Receives the client's messages. */
export interface CommandChannelsListener {
  /** Returns false to receive no more until `resume`. */
  stdin(bytes: Buffer): boolean;
  stdinEnded(): void;
  /** The same. */
  resized(text: string): boolean;
  /** Called once, when the WebSocket closes. */
  closed(): void;
}

/**
 * The channels of a remote command over one WebSocket, by v5.channel.k8s.io. Every message starts with its channel;
 * 255 followed by a channel closes that one.
 * Upstream: webSocketServerStreams in k8s.io/apiserver/pkg/util/proxy/websocket.go, wsstream.Conn
 */
export class CommandChannels {
  readonly #webSocket: WebSocket;
  readonly #streams: CommandStreams;
  readonly #idle: IdleTimer;

  constructor(webSocket: WebSocket, streams: CommandStreams, idleTimeout = IDLE_CONNECTION_TIMEOUT) {
    this.#webSocket = webSocket;
    this.#streams = streams;
    this.#idle = new IdleTimer(idleTimeout, () => webSocket.terminate());
  }

  /** Starts delivery, first of messages received before. */
  listen(listener: CommandChannelsListener): void {
    const webSocket = this.#webSocket;
    webSocket.on('message', (data: RawData) => this.#receive(bytesOf(data), listener));
    webSocket.once('close', () => {
      this.#idle[Symbol.dispose]();
      listener.closed();
    });
    if (webSocket.readyState === webSocket.CLOSED) listener.closed();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  /** Sends an empty message on the lowest channel, which tells the client that the connection is established. */
  announce(): Promise<void> {
    const { stdout, stderr } = this.#streams;
    return this.send(stdout ? channel.stdout : stderr ? channel.stderr : channel.error, new Uint8Array());
  }

  send(number: number, bytes: Uint8Array): Promise<void> {
    this.#idle.touch();
    const message = Buffer.allocUnsafe(bytes.length + 1);
    message[0] = number;
    message.set(bytes, 1);
    return sendMessage(this.#webSocket, message);
  }

  /** Sends the status of the command, and closes the connection once the client has received everything. */
  async finish(status: CommandStatus): Promise<void> {
    try {
      await this.send(channel.error, Buffer.from(JSON.stringify(status)));
    } catch {
      // The client is gone.
    }
    this.#webSocket.resume();
    this.#webSocket.close(1000);
  }

  #accepts(number: number | undefined, bytes: Buffer, listener: CommandChannelsListener): boolean {
    if (number === channel.resize) return listener.resized(bytes.toString());
    return number !== channel.stdin || !this.#streams.stdin || listener.stdin(bytes);
  }

  #receive(message: Buffer, listener: CommandChannelsListener): void {
    this.#idle.touch();
    const [number, closing] = message;
    if (number === channel.close) {
      if (message.length === 2 && closing === channel.stdin) listener.stdinEnded();
      return;
    }
    const bytes = message.subarray(1);
    if (!this.#accepts(number, bytes, listener)) this.#webSocket.pause();
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
