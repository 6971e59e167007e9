import { goWordsOf } from '@apiserver/apimachinery/errors';
import { type BackendLocation, hostOf, portOf } from './backend.js';
import { brokenConnectionText } from './broken-connection.js';

/** The first bytes are no record of TLS, but most often the status line of HTTP. */
const NO_TLS = /wrong version number|packet length too long/;

/** No socket could be made; Node reports it as a failure to connect. */
const WITHOUT_DESCRIPTORS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** The error of a connection that took too long. `dialErrorText` knows its code. */
export function ioTimeout(): Error {
  return Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT' });
}

/**
 * The reason why a backend could not be reached, in the words of Go's net and crypto/tls if these may be shown to a
 * client.
 */
export function dialErrorText(error: unknown, location: BackendLocation): string {
  if (!(error instanceof Error)) return String(error);
  const broken = brokenConnectionText(error);
  if (broken !== undefined) return broken;
  const { code = '', address } = error as NodeJS.ErrnoException & { readonly address?: string };
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${location.hostname}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  if (code === 'EPROTO' && NO_TLS.test(error.message)) return 'http: server gave HTTP response to HTTPS client';
  const words = goWordsOf(error);
  const call = WITHOUT_DESCRIPTORS.has(code) ? 'socket' : 'connect';
  const reason = code === 'ETIMEDOUT' ? 'i/o timeout' : words && `${call}: ${words}`;
  if (reason === undefined) return error.message;
  const hostname = address ?? location.hostname;
  return `dial tcp ${hostOf({ hostname, port: String(portOf(location)) })}: ${reason}`;
}
