import { type ClientHttp2Session, type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { frameMessage, grpcCodeName, MessageReader } from '@apiserver/registry-store/grpc';
import type { KonnectivityMetrics } from './konnectivity-metrics.js';
import { decodePacket, encodePacket, type Packet } from './packet.js';

/** gRPC's default limit of a message. Upstream: defaultClientMaxReceiveMessageSize of google.golang.org/grpc */
const MAX_MESSAGE = 4 * 1024 * 1024;
const METHOD = '/ProxyService/Proxy';
const [OK, UNAVAILABLE] = [0, 14];

/** A tunnel has ended, so that nothing can be sent. */
class TunnelClosedError extends Error {}

/** Receives the events of a stream. */
export interface PacketStreamHandlers {
  packet(packet: Packet): void;
  /** Called once after the last packet, but not after `close`. */
  ended(): void;
}

/**
 * The packets of one tunnel. It has a session of its own, and ends it.
 * Upstream: grpcTunnel.Send, grpcTunnel.Recv
 */
export class PacketStream {
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  readonly #metrics: KonnectivityMetrics;
  #status = UNAVAILABLE;
  #isClosed = false;

  constructor(session: ClientHttp2Session, metrics: KonnectivityMetrics, handlers: PacketStreamHandlers) {
    this.#session = session;
    this.#metrics = metrics;
    this.#stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: METHOD,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      [constants.HTTP2_HEADER_TE]: 'trailers',
    });
    const reader = new MessageReader((message) => this.#received(decodePacket(message), handlers), MAX_MESSAGE);
    this.#stream.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch {
        this.#stream.close(constants.NGHTTP2_CANCEL);
      }
    });
    const keepStatus = (headers: IncomingHttpHeaders) => {
      const { 'grpc-status': status } = headers;
      if (typeof status === 'string') this.#status = Number(status);
    };
    this.#stream.on('response', keepStatus).on('trailers', keepStatus);
    // The server's end is the end of a call.
    this.#stream.once('end', () => this.#stream.close());
    // Its failure is also its end.
    this.#stream.on('error', () => {});
    this.#stream.once('close', () => this.#ended(handlers));
  }

  /** `sent` is called when the server accepts more, or with the reason why it does not. */
  send(
    type: Parameters<typeof encodePacket>[0],
    payload: Parameters<typeof encodePacket>[1],
    sent: (error?: Error | null) => void = () => {},
  ): void {
    if (this.#isClosed) {
      sent(new TunnelClosedError('EOF'));
      return;
    }
    this.#metrics.packet('from_client', type);
    this.#stream.write(frameMessage(encodePacket(type, payload)), (error) => {
      if (error) this.#metrics.streamError('from_client', grpcCodeName(UNAVAILABLE), type);
      sent(error);
    });
  }

  /** Packets wait at the server. */
  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Ends the tunnel without a further event. Sends first what has been written. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Unread packets would keep the stream open.
    this.#stream.resume();
    this.#stream.end();
    this.#session.close();
    this.#stream.close();
  }

  #received(packet: Packet, handlers: PacketStreamHandlers): void {
    if (this.#isClosed) return;
    this.#metrics.packet('to_client', packet.type);
    handlers.packet(packet);
  }

  #ended(handlers: PacketStreamHandlers): void {
    this.#session.destroy();
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#status !== OK) this.#metrics.streamError('to_client', grpcCodeName(this.#status), 'Unknown');
    handlers.ended();
  }
}
