import { readPemBlocks } from '@apiserver/apimachinery/x509';
import type { Handler, Logger, PeerCertificates } from '@apiserver/apiserver-contracts';
import { parseRequestTarget } from '../transport/request-target.js';
import { FetchCall } from './fetch-call.js';
import { FetchRequest, type InProcessPeer } from './fetch-request.js';
import { LoopTurns } from './loop-turns.js';

/** A function like the global `fetch`. A path alone, such as `/api/v1/pods`, is a URL too. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The context of `toFetch`. */
export interface ToFetchOptions {
  readonly logger: Logger;
  /** Milliseconds since the epoch. Default: Date.now. */
  readonly now?: () => number;
  /** PEM of a client certificate, as a TLS connection would bring it. Its key is not needed. Default: none. */
  readonly certificate?: string;
  /** Added to each request that has no header of that name; a name may stand several times. Default: none. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** The host of a path without one. */
const ORIGIN = 'https://localhost';

/**
 * A handler as a `fetch` without a socket: the full chain with its bytes, headers and streams, but no upgrades. The host of
 * a URL has no meaning. Throws a TypeError for an invalid URL, as `fetch` does.
 */
export function toFetch(handler: Handler, options: ToFetchOptions): Fetch {
  const { logger, now = Date.now, certificate, headers = [] } = options;
  const context = { handler, logger, now };
  const peer: InProcessPeer = { certificates: certificate === undefined ? undefined : peerOf(certificate), headers };
  const turns = new LoopTurns();
  return async (input, init) => {
    const request = new Request(typeof input === 'string' && input.startsWith('/') ? ORIGIN + input : input, init);
    const url = pathOf(typeof input === 'string' ? input : request.url);
    const target = parseRequestTarget(url, request.method);
    if (target === undefined) throw new TypeError(`Invalid URL: ${url}`);
    const turn = turns.next();
    if (turn !== undefined) await turn;
    return new FetchCall(context, new FetchRequest(request, { url, target }, peer), request.signal).run();
  };
}

/** Path and query as the caller wrote them: a parsed URL has lost its dots. */
function pathOf(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
  return path.startsWith('/') ? path : `/${path}`;
}

function peerOf(pem: string): PeerCertificates {
  const blocks = readPemBlocks(pem).filter(({ type }) => type === 'CERTIFICATE');
  // Copies: the decoded bytes are in Buffer's pool, all of which would live as long as the plane.
  return { chain: blocks.map(({ bytes }) => new Uint8Array(bytes)), memo: new Map() };
}
