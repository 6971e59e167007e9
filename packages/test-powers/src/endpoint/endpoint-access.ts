import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { failureStatus, newUnauthorized, StatusError } from '@apiserver/apimachinery/errors';
import { isLoopbackHost } from '@apiserver/apimachinery/values';

/**
 * Lets a request in that has the token and comes from no web page. Throws a StatusError: 403 for a foreign Host, which
 * a page reaches by a name of its own, and for an Origin; 401 for a wrong token.
 */
export function checkAccess({ headers }: Pick<IncomingMessage, 'headers'>, token: string): void {
  if (!namesLoopback(headers.host ?? '')) {
    throw forbidden('the test endpoint is only served to its own address, such as 127.0.0.1');
  }
  if (headers.origin !== undefined) throw forbidden('the test endpoint is not served to web pages');
  const [, given = ''] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  // Digests have one length, so that the comparison takes the same time for all tokens.
  if (!timingSafeEqual(digestOf(given), digestOf(token))) {
    throw newUnauthorized(
      'the test endpoint needs the header "Authorization: Bearer TOKEN" with the token of its file',
    );
  }
}

/** The Host header of a loopback address, with or without a port. */
function namesLoopback(header: string): boolean {
  const [, bracketed, plain = ''] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i.exec(header) ?? [];
  return isLoopbackHost(bracketed ?? plain);
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function forbidden(message: string): StatusError {
  return new StatusError(failureStatus(403, 'Forbidden', message));
}
