import { GrpcCode, GrpcError } from './grpc-error.js';

const HEADER = 5;

/** A message with gRPC's frame before it: a byte that says uncompressed, and the length. */
export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEADER);
  return frame;
}

/** Puts the messages of a stream together again from chunks that end anywhere. */
export class MessageReader {
  readonly #message: (message: Buffer) => void;
  readonly #maxMessage: number;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes needed before it is worth looking. */
  #needed = HEADER;

  /** `maxMessage`: the bytes a message may have. */
  constructor(message: (message: Buffer) => void, maxMessage = Number.POSITIVE_INFINITY) {
    this.#message = message;
    this.#maxMessage = maxMessage;
  }

  /** Calls back for each message that is complete now. Throws GrpcError for what is compressed or too large. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#keep(bytes.subarray(this.#take(bytes)));
  }

  /** Answers how much of the bytes was complete messages. */
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

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
  }
}

const COMPRESSED = 'the gRPC message is compressed, which was not asked for';
