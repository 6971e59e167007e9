import type { HeaderFields, RequestHead, StreamReceiver } from '@apiserver/http2';

/**
 * One request and its response on HTTP/2, by `ServerStream` of `@apiserver/http2` or by `node:http2`. Nothing throws;
 * calls after the end of the stream have no effect.
 */
export interface Http2Stream {
  readonly head: RequestHead;
  /** True if the request has a body. */
  readonly hasBody: boolean;
  /** Set it before `read`, and within the first event loop turn. */
  receiver: StreamReceiver;
  /** Called for each part of the response that is no longer referenced here. */
  copied: ((bytes: Uint8Array) => void) | undefined;
  /** True for a stream of events, which are sent before other responses. Set it before the first `write`. */
  isEvents: boolean;
  /** True if the source of the response waits as long as the client does not read. */
  isPatient: boolean;
  /** True if the stream has ended, by either side. */
  readonly closed: boolean;
  /** A final head has been sent. */
  readonly responded: boolean;
  /** The response ends with the queued data. */
  readonly ending: boolean;
  /** The response has been sent to its end. */
  readonly localEnded: boolean;
  /** Bytes of the response that are queued here. */
  readonly queuedBytes: number;
  /** True if too much is queued. */
  readonly isFull: boolean;

  /** Sends the head of the response, or a 1xx before it. With `endStream` there is no body. */
  respond(status: number, fields: HeaderFields, endStream: boolean): void;
  /** Sends a part of the response, which must not change afterwards. Returns false when the writer should wait for `drained`. */
  write(bytes: Uint8Array): boolean;
  /** Ends the response. Data that the client has not read after `giveUp` milliseconds is dropped. */
  end(giveUp?: number): void;
  /** Asks for a call of `drained`. */
  askDrained(): void;
  /** Breaks the stream off. Default: INTERNAL_ERROR. */
  reset(code?: number): void;
  /** Sends GOAWAY: the connection takes no further request. */
  goAway(): void;
  /** From now on the receiver gets the body. */
  read(): void;
  /** Stops giving the receiver the body until `read`. */
  pause(): void;
}
