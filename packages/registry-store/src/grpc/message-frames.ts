import { GatheredBytes } from '@apiserver/http2';
import { GrpcCode, GrpcError } from './grpc-error.js';

const HEADER = 5;

/** A message with gRPC's frame: a byte for uncompressed, and the length. */
export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEADER);
  return frame;
}

/** Reassembles the messages of a stream from arbitrary chunks. */
export class MessageReader {
  readonly #message: (message: Buffer) => void;
  readonly #maxMessage: number;
  readonly #waiting = new GatheredBytes();
  /** Number of bytes needed for further progress. */
  #needed = HEADER;

  /** `maxMessage` is the maximum size of a message in bytes. */
  constructor(message: (message: Buffer) => void, maxMessage = Number.POSITIVE_INFINITY) {
    this.#message = message;
    this.#maxMessage = maxMessage;
  }

  /** Calls back for each complete message. Throws GrpcError for a compressed or too large one. */
  push(chunk: Buffer): void {
    this.#waiting.push(chunk);
    if (this.#waiting.length < this.#needed) return;
    const bytes = this.#waiting.take();
    const taken = this.#take(bytes);
    if (taken < bytes.length) this.#waiting.push(bytes.subarray(taken));
  }

  /** Returns the length of the complete messages in the bytes. */
  #take(bytes: Buffer): number {
    let at = 0;
    this.#needed = HEADER;
    while (bytes.length - at >= HEADER) {
      if (bytes[at] !== 0) throw new GrpcError(GrpcCode.unknown, COMPRESSED, 'unknown');
      const length = bytes.readUInt32BE(at + 1);
      if (length > this.#maxMessage) throw this.#tooLarge(length);
      const end = at + HEADER + length;
      if (end > bytes.length) {
        this.#needed = end - at;
        break;
      }
      this.#message(bytes.subarray(at + HEADER, end));
      at = end;
    }
    return at;
  }

  /** Upstream: recvMsg of google.golang.org/grpc/rpc_util.go */
  #tooLarge(length: number): GrpcError {
    const text = `grpc: received message larger than max (${length} vs. ${this.#maxMessage})`;
    return new GrpcError(GrpcCode.resourceExhausted, text, 'unknown');
  }
}

const COMPRESSED = 'the gRPC message is compressed, which was not asked for';
