import type { ApiResponse, Exchange, UpgradeSocket } from '@apiserver/apiserver-contracts';
import type { BackendLocation, BackendTransport } from '../backend/backend.js';
import { GrowingBytes } from '../backend/growing-bytes.js';
import type { SpdyStream } from '../spdy/spdy-stream.js';
import { throttledFrom, throttledInto } from '../throttle/throttle.js';
import { acceptWebSocket, handshakeRefusal, refuseHandshake } from '../websocket/accept-web-socket.js';
import { webSocketClosed } from '../websocket/send-message.js';
import { STREAM_PROTOCOL_V5 } from '../websocket/web-socket-request.js';
import { CommandChannels, type CommandStreams, channel } from './command-channels.js';
import { openCommand, type RemoteCommand } from './open-command.js';
import { type CommandStatus, commandStatus, failureOf } from './remote-command.js';
import { TerminalSizes } from './terminal-sizes.js';

/** The rest of a longer text on the error stream is dropped. Upstream has no bound. */
const MAX_STATUS_BYTES = 1024 * 1024;

/** A command, its backend, and the streams that the client requests. */
export interface TranslatedCommand {
  readonly location: BackendLocation;
  readonly transport: BackendTransport;
  readonly streams: CommandStreams;
  /** Limits each of stdin, stdout and stderr by itself; 0, the default, for no limit. */
  readonly maxBytesPerSec?: number;
  /** Called once at the end: 200 for any exit code of the command, else the code of the failure. */
  ended?(code: number): void;
}

/**
 * Connects the channels of a WebSocket with the streams of a command that a kubelet runs over SPDY. The WebSocket is
 * accepted before the kubelet is dialled, so that failures go to its error channel.
 * Upstream: StreamTranslatorHandler in k8s.io/apiserver/pkg/util/proxy/streamtranslator.go
 */
export function translateStreams(exchange: Exchange, command: TranslatedCommand): ApiResponse {
  const refusal = handshakeRefusal(exchange.request);
  if (refusal !== undefined) {
    return { type: 'upgrade', status: refusal.status, run: (connection) => refuseHandshake(connection, refusal) };
  }
  return { type: 'upgrade', run: (connection) => serve(exchange, command, connection) };
}

async function serve(exchange: Exchange, command: TranslatedCommand, connection: UpgradeSocket): Promise<void> {
  const webSocket = await acceptWebSocket(exchange.request, connection, STREAM_PROTOCOL_V5);
  const closed = webSocketClosed(webSocket);
  const channels = new CommandChannels(webSocket, command.streams);
  // Messages wait in the socket until the streams are open.
  webSocket.pause();
  const gone = new AbortController();
  void closed.then(() => gone.abort(new Error('the client closed the connection')));
  const signal = AbortSignal.any([gone.signal, exchange.signal]);
  try {
    await channels.announce();
    const { location, transport, streams } = command;
    const running = await openCommand(location, transport, streams, signal);
    try {
      const status = await run(running, channels, command.maxBytesPerSec);
      command.ended?.(200);
      await channels.finish(status);
    } finally {
      running.connection.close();
    }
  } catch (error) {
    const failure = failureOf(error);
    command.ended?.(failure.code ?? 500);
    await channels.finish(failure);
  }
  await closed;
}

/** Copies all streams until the command ends; returns its status. */
async function run(command: RemoteCommand, channels: CommandChannels, maxBytesPerSec = 0): Promise<CommandStatus> {
  listen(command, channels, maxBytesPerSec);
  channels.resume();
  const ended = textOf(command.error);
  await Promise.all([
    copy(command.stdout, maxBytesPerSec, (chunk) => channels.send(channel.stdout, chunk)),
    copy(command.stderr, maxBytesPerSec, (chunk) => channels.send(channel.stderr, chunk)),
  ]);
  return commandStatus(command.protocol, await ended);
}

function listen(command: RemoteCommand, channels: CommandChannels, maxBytesPerSec: number): void {
  const { connection, resize } = command;
  const stdin = command.stdin && throttledInto(command.stdin, maxBytesPerSec);
  const sizes = new TerminalSizes();
  for (const stream of [stdin, resize]) stream?.on('drain', () => channels.resume());
  // A command that reads no more input closes its stream. Further input is dropped, so that nothing waits for it.
  for (const stream of [stdin, resize]) stream?.once('close', () => channels.resume());
  channels.listen({
    stdin: (bytes) => stdin === undefined || !stdin.writable || stdin.write(bytes),
    stdinEnded: () => stdin?.end(),
    resized: (text) => {
      let more = true;
      for (const line of sizes.read(text)) if (resize?.writable) more = resize.write(line);
      return more;
    },
    closed: () => connection.close(),
  });
}

async function copy(
  from: SpdyStream | undefined,
  maxBytesPerSec: number,
  send: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  if (from === undefined) return;
  for await (const chunk of throttledFrom(from, maxBytesPerSec)) await send(chunk);
}

async function textOf(stream: SpdyStream): Promise<string> {
  const text = new GrowingBytes();
  for await (const chunk of stream) text.append(chunk.subarray(0, MAX_STATUS_BYTES - text.length));
  return text.bytes.toString();
}
