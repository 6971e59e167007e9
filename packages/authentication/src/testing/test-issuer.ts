import { Buffer } from 'node:buffer';
import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeTestCertificate } from '@apiserver/apimachinery/testing';

/** A private key, with the id and the algorithm of its tokens. */
export interface TestIssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
}

/** Responds to a request instead of the issuer. */
export type TestIssuerHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** An issuer of OpenID Connect over TLS on this machine. */
export interface TestIssuer extends AsyncDisposable {
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly authority: string;
  /** The published keys. May change. */
  keys: readonly TestIssuerKey[];
  /** Headers of the key set. May change. */
  keySetHeaders: Readonly<Record<string, string>>;
  /** Handlers by path, before the issuer's own. */
  readonly handlers: Map<string, TestIssuerHandler>;
  /** The paths of all requests. */
  readonly requests: string[];
  /** A token of the first key, or of `key`, for an hour from `now`. Claims that are undefined are left out. */
  token(claims?: Readonly<Record<string, unknown>>, how?: TestTokenOptions): string;
  /** Ends all connections, and takes none until `resume`. */
  suspend(): Promise<void>;
  resume(): Promise<void>;
}

/** Differences of a token from the usual. */
export interface TestTokenOptions {
  readonly key?: TestIssuerKey;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. Default: the machine's time. */
  readonly now?: number;
}

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

/** Makes a key for an algorithm. */
export function makeIssuerKey(kid: string, alg = 'ES256'): TestIssuerKey {
  const namedCurve = CURVES[alg];
  const { privateKey } =
    namedCurve === undefined
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve });
  return { kid, alg, privateKey };
}

/** Signs claims as a compact JWT. */
export function signTestToken(
  claims: unknown,
  { kid, alg, privateKey }: TestIssuerKey,
  header: Readonly<Record<string, unknown>> = {},
): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg, kid, typ: 'JWT', ...header })}.${encode(claims)}`;
  const padding = alg.startsWith('PS') ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {};
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const, ...padding };
  return `${signed}.${sign(`sha${alg.slice(2)}`, Buffer.from(signed), key).toString('base64url')}`;
}

/** Starts an issuer on a free port. */
export async function startTestIssuer(path = ''): Promise<TestIssuer> {
  const authority = makeTestCertificate({ commonName: 'issuer-ca', authority: true });
  const { certificate: cert, key } = makeTestCertificate({ issuer: authority, hosts: ['127.0.0.1', 'localhost'] });
  const server = createServer({ cert, key });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}${path}`;
  const issuer: TestIssuer = {
    url,
    authority: authority.certificate,
    keys: [makeIssuerKey('k1')],
    keySetHeaders: {},
    handlers: new Map(),
    requests: [],
    token: (claims = {}, { key: signing = issuer.keys[0], header, now = Date.now() } = {}) => {
      const seconds = Math.floor(now / 1000);
      const usual = { iss: url, aud: 'client', sub: 'alice', iat: seconds, exp: seconds + 3600 };
      return signTestToken({ ...usual, ...claims }, signing as TestIssuerKey, header);
    },
    suspend: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    resume: async () => {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('request', (request, response) => respond(issuer, request, response));
  return issuer;
}

function respond(issuer: TestIssuer, request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '';
  issuer.requests.push(path);
  const base = new URL(issuer.url).pathname.replace(/\/$/, '');
  const handler = issuer.handlers.get(path);
  if (handler !== undefined) handler(request, response);
  else if (path === `${base}/.well-known/openid-configuration`) {
    json(response, { issuer: issuer.url, jwks_uri: `${issuer.url.replace(/\/$/, '')}/keys` }, {});
  } else if (path === `${base}/keys`) json(response, keySet(issuer.keys), issuer.keySetHeaders);
  else response.writeHead(404).end('not found');
}

/** The JSON Web Key Set of the public halves. */
export function keySet(keys: readonly TestIssuerKey[]): object {
  const publicKey = ({ kid, alg, privateKey }: TestIssuerKey) => {
    const { kty, crv, x, y, n, e } = privateKey.export({ format: 'jwk' });
    return { use: 'sig', kid, alg, kty, crv, x, y, n, e };
  };
  return { keys: keys.map(publicKey) };
}

function json(response: ServerResponse, value: unknown, headers: Readonly<Record<string, string>>): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}
