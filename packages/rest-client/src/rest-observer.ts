import type { Socket } from 'node:net';

/** The labels of a request. */
export interface RestAttempt {
  /** Host and port of the server. */
  readonly host: string;
  readonly method: string;
}

/** Observes the requests of a client. Its methods must not throw. */
export interface RestObserver {
  /** Called before a request to a host and a path is sent. It may throw the error of a connection that fails. */
  connecting?(host: string, path: string): void;
  /** A server has responded with a code, or not (`<error>`). `bytes`: the size of the body that was sent. */
  responded(attempt: RestAttempt, code: string, bytes: number | undefined): void;
  /** A response with this code leads to another attempt. */
  retried(attempt: RestAttempt, code: string): void;
  /** The body of a final response has this size. */
  responseRead(attempt: RestAttempt, bytes: number): void;
  /** All attempts together have taken this long. */
  sent(attempt: RestAttempt, milliseconds: number): void;
  /** A response came by this connection. */
  connected(socket: Socket): void;
  /** No connection was made, for this reason in Go's words. */
  refused(reason: string): void;
}
