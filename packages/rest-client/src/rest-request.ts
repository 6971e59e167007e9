import type { GroupVersionResource } from '@apiserver/apimachinery';

/** A request to another API server. */
export interface RestRequest {
  readonly method: 'GET' | 'POST';
  /** Decoded, from the root of the API; "": the URL of the server itself. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is; it must be JSON. */
  readonly body?: object | string;
  /** For messages of a failure without a Status. */
  readonly resource?: GroupVersionResource;
}

/** A response with a code of success. */
export interface RestResponse {
  readonly code: number;
  /** Parsed; undefined for a body that is no JSON. */
  readonly value: unknown;
}

/** A response with its body as it came. */
export interface RestTextResponse extends RestResponse {
  readonly text: string;
  /** "" if the response has none. */
  readonly contentType: string;
}

/** Sends requests to another API server. */
export interface RestSender {
  /**
   * Sends a request until it has a final response. Throws a StatusError for a response that is no success, an Error in
   * Go's words when there is no response, and `signal.reason`.
   */
  send(request: RestRequest, signal?: AbortSignal): Promise<RestResponse>;
  /** The body of a success as it comes. Throws as `send` does, and does not try again. */
  open(request: RestRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}
