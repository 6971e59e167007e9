import { Buffer, isUtf8 } from 'node:buffer';
import type { Authenticator, RequestHeaders, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { invalidBearerToken } from './bearer-token.js';

const prefix = 'base64url.bearer.authorization.k8s.io.';

/**
 * Takes a bearer token that a browser hides among the WebSocket subprotocols it offers, because it cannot set headers.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/websocket
 */
export function webSocketProtocolAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return {
    authenticateRequest: async ({ request: { headers }, context }) => {
      if (!isWebSocketRequest(headers)) return undefined;
      const token = tokenOf(headers);
      if (token === undefined || token === '') return undefined;
      const response = await tokens.authenticateToken(token, undefined, context.warnings);
      if (response === undefined) throw invalidBearerToken();
      return response;
    },
  };
}

function isWebSocketRequest(headers: RequestHeaders): boolean {
  return (
    headers.get('upgrade')?.toLowerCase() === 'websocket' &&
    /(^|.*,\s*)upgrade($|\s*,)/i.test(headers.get('connection') ?? '')
  );
}

function tokenOf(headers: RequestHeaders): string | undefined {
  const offered = headers
    .all('sec-websocket-protocol')
    .flatMap((value) => value.split(','))
    .map((protocol) => protocol.trim());
  const [hidden, ...more] = offered.filter((protocol) => protocol.startsWith(prefix));
  if (hidden === undefined) return undefined;
  if (more.length > 0) throw new Error('multiple base64.bearer.authorization tokens specified');
  const token = decode(hidden.slice(prefix.length));
  if (offered.length === 1) throw new Error('missing additional subprotocol');
  return token;
}

function decode(encoded: string): string {
  if (!/^[A-Za-z0-9_-]*$/.test(encoded) || encoded.length % 4 === 1) {
    throw new Error('invalid base64.bearer.authorization token encoding');
  }
  const bytes = Buffer.from(encoded, 'base64url');
  if (!isUtf8(bytes)) throw new Error('invalid base64.bearer.authorization token');
  return bytes.toString('utf8');
}
