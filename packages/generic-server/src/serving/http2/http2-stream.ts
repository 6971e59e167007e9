import type { HeaderFields, RequestHead, StreamReceiver } from '@apiserver/http2';

/**
 * One request and its response on HTTP/2, whatever speaks the protocol: `ServerStream` of `@apiserver/http2`, or
 * `node:http2`. Nothing throws; calls after the end of the stream have no effect.
 */
export interface Http2Stream {
  readonly head: RequestHead;
  /** The request did not end with its head. */
  readonly hasBody: boolean;
  /** To be set before `read` and before the first turn of the event loop is over. */
  receiver: StreamReceiver;
  /** Called for each part of the response that nothing here refers to any more. */
  copied: ((bytes: Uint8Array) => void) | undefined;
  /** The stream sends events, which leave before other responses. To be set before the first `write`. */
  isEvents: boolean;
  /** The source of the response waits for the client, for as long as the client does not read. */
  isPatient: boolean;
  /** The stream is over, on whichever side that began. */
  readonly closed: boolean;
  /** A final head has been sent. */
  readonly responded: boolean;
  /** The response ends with the queued data. */
  readonly ending: boolean;
  /** The response has been sent to its end. */
  readonly localEnded: boolean;
  /** Bytes of the response that are queued here. */
  readonly queuedBytes: number;
  /** More is queued than should be. */
  readonly isFull: boolean;

  /** Sends the head of the response, or a 1xx before it. With `endStream` there is no body. */
  respond(status: number, fields: HeaderFields, endStream: boolean): void;
  /** Sends a part of the response, which must not change afterwards. Returns false when the writer should wait for `drained`. */
  write(bytes: Uint8Array): boolean;
  /** Ends the response. The rest that the client has not taken `giveUp` milliseconds later is dropped. */
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
