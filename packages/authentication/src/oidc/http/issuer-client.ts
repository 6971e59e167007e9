import type { IncomingMessage } from 'node:http';
import { errorOf } from '@apiserver/apimachinery/errors';
import {
  type BackendLocation,
  type BackendTransport,
  dialErrorText,
  fetchKept,
  type HttpProxies,
  hostOf,
  httpProxiesOf,
  proxyErrorText,
  readText,
} from '@apiserver/proxy/backend';
import { IssuerError } from './issuer-error.js';

/** Largest response in bytes. Upstream has no limit. */
const MAX_RESPONSE = 1024 * 1024;
/** Upstream: the timeout of the http.Client in k8s.io/apiserver/plugin/pkg/authenticator/token/oidc */
const TIMEOUT_MS = 30_000;
/** Upstream: defaultCheckRedirect of Go's net/http */
const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A whole response. */
export interface IssuerResponse {
  readonly code: number;
  /** As `404 Not Found`. */
  readonly status: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Input of a client. */
export interface IssuerClientOptions {
  /** PEM; "" for the authorities of Node. */
  readonly certificateAuthority: string;
  /** Connects to an issuer through an egress. Default: straight. */
  readonly dial?: BackendTransport['dial'] | undefined;
  /** Variables that name proxies. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
}

/**
 * Fetches documents of an issuer: by https only, of at most 1 MiB, within 30 seconds. Follows redirects to https.
 * Upstream: the http.Client in k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export class IssuerClient {
  readonly #transport: BackendTransport;
  readonly #proxies: HttpProxies;
  readonly #signal: AbortSignal;

  constructor({ certificateAuthority: ca, dial, environment, signal }: IssuerClientOptions) {
    this.#transport = {
      ca,
      certificate: '',
      key: '',
      verify: true,
      connectTimeout: TIMEOUT_MS,
      ...(dial === undefined ? undefined : { dial }),
    };
    this.#proxies = dial === undefined ? httpProxiesOf(environment ?? process.env) : () => undefined;
    this.#signal = signal;
  }

  /** Throws an Error in Go's words if there is no response. `bearer` is sent to the first host alone. */
  async get(url: string, bearer = ''): Promise<IssuerResponse> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      return await this.#follow(url, bearer, signal);
    } catch (error) {
      const reason = signal.aborted ? 'context deadline exceeded' : errorOf(error).message;
      throw new IssuerError(`Get "${url}": ${reason}`, { cause: error });
    }
  }

  async #follow(first: string, bearer: string, signal: AbortSignal): Promise<IssuerResponse> {
    let url = parseHttps(first);
    const { host } = url;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#fetch(url, url.host === host ? bearer : '', signal);
      const code = response.statusCode ?? 0;
      const target = REDIRECTS.has(code) ? response.headers.location : undefined;
      if (target === undefined) return { ...(await wholeOf(response)), code };
      response.destroy();
      if (redirects === MAX_REDIRECTS) throw new IssuerError(`stopped after ${MAX_REDIRECTS} redirects`);
      url = parseHttps(target, url);
    }
  }

  async #fetch(url: URL, bearer: string, signal: AbortSignal): Promise<IncomingMessage> {
    const location = locationOf(url);
    const headers = {
      Host: hostOf(location),
      'User-Agent': 'Go-http-client/1.1',
      ...(bearer === '' ? {} : { Authorization: `Bearer ${bearer}` }),
    };
    let proxy: string | undefined;
    try {
      proxy = this.#proxies(location);
      return await fetchKept(location, this.#transport, { method: 'GET', headers, proxy }, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const reason = (proxy && proxyErrorText(error, proxy)) ?? dialErrorText(error, location);
      throw new IssuerError(reason, { cause: error });
    }
  }
}

async function wholeOf(response: IncomingMessage): Promise<Omit<IssuerResponse, 'code'>> {
  const tooLarge = () => new Error(`the response is larger than ${MAX_RESPONSE} bytes`);
  const body = await readText(response, MAX_RESPONSE, tooLarge);
  const status = `${response.statusCode} ${response.statusMessage}`.trim();
  return { status, headers: response.headers, body };
}

function parseHttps(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : undefined;
  if (url === undefined) throw new IssuerError('invalid URL');
  if (url.protocol !== 'https:') throw new IssuerError(`unsupported protocol scheme "${url.protocol.slice(0, -1)}"`);
  return url;
}

function locationOf({ hostname, port, pathname, search }: URL): BackendLocation {
  return {
    scheme: 'https',
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    path: pathname,
    rawPath: pathname,
    rawQuery: search.slice(1),
  };
}
