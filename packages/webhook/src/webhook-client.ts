import { type Clock, durationClock, JoinedSignal } from '@apiserver/apimachinery/clock';
import { locationText } from '@apiserver/proxy/backend';
import {
  RemoteServerError,
  RestClient,
  type RestConfig,
  type RestObserver,
  type RestTextResponse,
} from '@apiserver/rest-client';

/** Upstream: setGlobalDefaults of k8s.io/apiserver/pkg/util/webhook/authentication.go */
const USER_AGENT = 'kube-apiserver-admission';
/** Milliseconds. Upstream: setGlobalDefaults */
const DEFAULT_TIMEOUT_MS = 30_000;
/** Parsing them takes one turn of the event loop. */
const MAX_RESPONSE_BYTES = 8 * 2 ** 20;

/** A call of a webhook. */
export interface WebhookCall {
  /** Milliseconds for the whole call; sent to the webhook in seconds, rounded up. Default: 30 s. */
  readonly timeout?: number;
  /** Ends the call early; the client then rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Further headers for a webhook that is not served by this server. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The client of one webhook. */
export interface WebhookClient {
  /**
   * Posts the JSON text of a review and resolves with the body of a success, which is not empty. Rejects with a
   * StatusError for another response, and with an Error in the words of Go's client if there is no usable response.
   */
  post(review: string, call?: WebhookCall): Promise<string>;
}

/** Input of `createWebhookClient`. */
export interface WebhookClientOptions {
  readonly config: RestConfig;
  /** Decoded, with a leading slash. */
  readonly path: string;
  readonly clock: Clock;
  readonly observer?: RestObserver;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Sends reviews to a webhook. Redirects are not followed, and responses have at most 8 MiB.
 * Upstream: the RESTClient of HookClient in k8s.io/apiserver/pkg/util/webhook/client.go
 */
export function createWebhookClient({ config, path, ...options }: WebhookClientOptions): WebhookClient {
  const client = new RestClient(config, {
    ...options,
    userAgent: USER_AGENT,
    accept: 'application/json, */*',
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  return timedClient({ config, path, clock: options.clock }, async (query, review, { signal, headers }) => {
    const request = { method: 'POST', path, query, body: review, ...(headers && { headers }) } as const;
    const response = await client.send(request, signal);
    if (response.text === '') throw emptyResponse(response);
    return response.text;
  });
}

/**
 * Posts a JSON text to a path of this server, as system:apiserver. Resolves with the body of a success, and rejects
 * with a StatusError for another response.
 */
export type PostToServer = (
  target: { readonly path: string; readonly query: URLSearchParams },
  json: string,
  signal: AbortSignal,
) => Promise<string>;

/**
 * The client of a webhook that this server serves itself, through an aggregated API server.
 * Upstream: NewDefaultAuthenticationInfoResolverWrapper of k8s.io/apiserver/pkg/util/webhook/authentication.go
 */
export function createServerClient(options: WebhookClientOptions, post: PostToServer): WebhookClient {
  const { path } = options;
  return timedClient(options, async (query, review, { signal }) => {
    const text = await post({ path, query }, review, signal);
    if (text === '') throw emptyResponse({ code: 200, contentType: '' });
    return text;
  });
}

interface Sending {
  readonly signal: AbortSignal;
  readonly headers: WebhookCall['headers'];
}

type Post = (query: URLSearchParams, review: string, sending: Sending) => Promise<string>;

function timedClient(
  { config, path, clock }: Pick<WebhookClientOptions, 'config' | 'path' | 'clock'>,
  send: Post,
): WebhookClient {
  return {
    async post(review, { timeout = DEFAULT_TIMEOUT_MS, signal: ended, headers } = {}) {
      const late = new AbortController();
      // Not AbortSignal.timeout: its timer cannot be stopped, and lives as long as the timeout of a fast call.
      const cancel = durationClock(clock).schedule(() => late.abort(), timeout);
      using joined = new JoinedSignal(late.signal, ...(ended === undefined ? [] : [ended]));
      const query = new URLSearchParams({ timeout: durationText(Math.ceil(timeout / 1000)) });
      try {
        return await send(query, review, { signal: joined.signal, headers });
      } catch (error) {
        if (ended?.aborted !== true && late.signal.aborted) throw lateResponse(config, path, query, error);
        throw error;
      } finally {
        cancel();
      }
    },
  };
}

/** The error of a success without a body. Upstream: Result.Into of k8s.io/client-go/rest/request.go */
export function emptyResponse({ code, contentType }: Pick<RestTextResponse, 'code' | 'contentType'>): Error {
  const type = contentType === '' ? 'application/json' : contentType;
  return new RemoteServerError(`0-length response with status code: ${code} and content type: ${type}`);
}

/** The error of Go's client when the deadline of a request has passed. */
function lateResponse({ server }: RestConfig, path: string, query: URLSearchParams, cause: unknown): Error {
  const hostname = server.hostname.replace(/^\[|\]$/g, '');
  const url = locationText({ scheme: 'https', hostname, port: server.port, path, rawQuery: query.toString() });
  return new RemoteServerError(`Post "${url}": context deadline exceeded`, { cause });
}

/** Upstream: time.Duration.String of Go */
function durationText(seconds: number): string {
  const minutes = Math.trunc(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
}
