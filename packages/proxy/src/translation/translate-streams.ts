import { Buffer } from 'node:buffer';
import type { ApiResponse, Exchange, UpgradeSocket } from '@apiserver/apiserver-contracts';
import type { BackendLocation, BackendTransport } from '../backend/backend.js';
import type { SpdyStream } from '../spdy/spdy-stream.js';
import { acceptWebSocket, handshakeRefusal, refuseHandshake } from '../websocket/accept-web-socket.js';
import { webSocketClosed } from '../websocket/send-message.js';
import { STREAM_PROTOCOL_V5 } from '../websocket/web-socket-request.js';
import { CommandChannels, type CommandStreams, channel } from './command-channels.js';
import { openCommand, type RemoteCommand } from './open-command.js';
import { type CommandStatus, commandStatus, failureOf } from './remote-command.js';
import { TerminalSizes } from './terminal-sizes.js';

/** A command, where it runs, and what of it the client wants. */
export interface TranslatedCommand {
  readonly location: BackendLocation;
  readonly transport: BackendTransport;
  readonly streams: CommandStreams;
  /** Told once how it ended: 200 whatever the command's own exit code, else the code of what went wrong here. */
  ended?(code: number): void;
}

/**
 * Answers a WebSocket with the streams of a command that a kubelet runs over SPDY. The WebSocket is accepted before the
 * kubelet is asked: whatever goes wrong there is told on its error channel.
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
  // What comes before the streams are there waits in the socket.
  webSocket.pause();
  const gone = new AbortController();
  void closed.then(() => gone.abort(new Error('the client closed the connection')));
  const signal = AbortSignal.any([gone.signal, exchange.signal]);
  try {
    await channels.announce();
    const { location, transport, streams } = command;
    const running = await openCommand(location, transport, streams, signal);
    try {
      const status = await run(running, channels);
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

/** Passes on everything until the command has ended; answers how. */
async function run(command: RemoteCommand, channels: CommandChannels): Promise<CommandStatus> {
  listen(command, channels);
  channels.resume();
  const ended = textOf(command.error);
  await Promise.all([
    copy(command.stdout, (chunk) => channels.send(channel.stdout, chunk)),
    copy(command.stderr, (chunk) => channels.send(channel.stderr, chunk)),
  ]);
  return commandStatus(command.protocol, await ended);
}

function listen({ connection, stdin, resize }: RemoteCommand, channels: CommandChannels): void {
  const sizes = new TerminalSizes();
  stdin?.on('drain', () => channels.resume());
  // A command that takes no more input ends its stream: what still comes is dropped, so that nothing waits for it.
  stdin?.once('close', () => channels.resume());
  channels.listen({
    stdin: (bytes) => stdin === undefined || !stdin.writable || stdin.write(bytes),
    stdinEnded: () => stdin?.end(),
    resized: (text) => {
      for (const line of sizes.read(text)) if (resize?.writable) resize.write(line);
    },
    closed: () => connection.close(),
  });
}

async function copy(from: SpdyStream | undefined, send: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  if (from === undefined) return;
  for await (const chunk of from) await send(chunk);
}

async function textOf(stream: SpdyStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
