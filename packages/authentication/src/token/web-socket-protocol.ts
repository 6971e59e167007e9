import { Buffer, isUtf8 } from 'node:buffer';
import type { Authenticator, RequestHeaders, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { TokenError } from '../token-error.js';
import { invalidBearerToken } from './bearer-token.js';

const HIDDEN_TOKEN = /(?:^|,)\s*base64url\.bearer\.authorization\.k8s\.io\.([^,]*)/g;

/**
 * Takes a bearer token from the WebSocket subprotocols that a browser offers, because a browser cannot set headers.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/websocket
 */
export function webSocketProtocolAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return {
    authenticateRequest: async ({ request: { headers }, context }) => {
      if (!isWebSocketRequest(headers)) return undefined;
      const token = tokenOf(headers);
      if (token === undefined || token === '') return undefined;
      const response = await tokens.authenticateToken(token, undefined, context);
      if (response === undefined) throw invalidBearerToken();
      return response;
    },
  };
}

function isWebSocketRequest(headers: RequestHeaders): boolean {
  return (
    headers.get('upgrade')?.toLowerCase() === 'websocket' &&
    asksForUpgrade(headers.get('connection')?.toLowerCase() ?? '')
  );
}

/** The substring search comes first: it is fast, and nearly all other requests lack the word. */
function asksForUpgrade(connection: string): boolean {
  return connection.includes('upgrade') && /(?:^|,\s*)upgrade(?:$|\s*,)/.test(connection);
}

function tokenOf(headers: RequestHeaders): string | undefined {
  const values = headers.all('sec-websocket-protocol');
  const [hidden, another] = hiddenTokens(values);
  if (hidden === undefined) return undefined;
  if (another !== undefined) throw new TokenError('multiple base64.bearer.authorization tokens specified');
  const token = decode(hidden);
  if (values.length === 1 && !values[0]?.includes(',')) throw new TokenError('missing additional subprotocol');
  return token;
}

/**
 * The first two tokens of all values. The values are not split, because an unauthenticated client may send very many.
 */
function hiddenTokens(values: readonly string[]): readonly string[] {
  const tokens: string[] = [];
  for (const value of values) {
    for (const [, token = ''] of value.matchAll(HIDDEN_TOKEN)) {
      tokens.push(token.trim());
      if (tokens.length === 2) return tokens;
    }
  }
  return tokens;
}

function decode(encoded: string): string {
  if (!/^[A-Za-z0-9_-]*$/.test(encoded) || encoded.length % 4 === 1) {
    throw new TokenError('invalid base64.bearer.authorization token encoding');
  }
  const bytes = Buffer.from(encoded, 'base64url');
  if (!isUtf8(bytes)) throw new TokenError('invalid base64.bearer.authorization token');
  return bytes.toString('utf8');
}
