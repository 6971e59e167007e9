import { posix } from 'node:path';
import type { Clock } from '@apiserver/apimachinery/clock';
import { percentDecoded, quote } from '@apiserver/apimachinery/text';
import { urlFault } from '@apiserver/apimachinery/values';
import type { BackendDialer, BackendTransport } from '@apiserver/proxy/backend';
import { newRestConfig, type RestConfig, type RestObserver, type UserCredentials } from '@apiserver/rest-client';
import { CallingWebhookError } from './calling-webhook-error.js';
import type { ServiceResolver, WebhookClientConfig, WebhookService } from './client-config.js';
import { createServerClient, createWebhookClient, type PostToServer, type WebhookClient } from './webhook-client.js';

/** Upstream: defaultCacheSize of k8s.io/apiserver/pkg/util/webhook/client.go */
const MAX_CLIENTS = 200;
/** Milliseconds for connecting, including the TLS handshake. Upstream: the dialer of client-go/transport */
const CONNECT_TIMEOUT_MS = 30_000;
const HTTPS_PORT = 443;
/** The name of this server as a service. */
const SERVER = 'kubernetes.default.svc';
/** Parts of a URL, as they are written. */
const URL_PARTS = /^https:\/\/(?<host>\[[^\]]*\]|[^:/?#]+)(?::(?<port>\d*))?(?<path>[^?#]*)/i;

/** Dependencies of the clients of webhooks. */
export interface WebhookClientsOptions {
  readonly resolveService: ServiceResolver;
  /**
   * Reports whether an address may be dialled; called for literal addresses and for all addresses of a name. Default:
   * all are allowed, as upstream.
   */
  readonly allowsAddress?: (address: string) => boolean;
  /** The credentials for a host and port. Throws an Error. Default: none. */
  readonly userFor?: (target: string) => UserCredentials;
  readonly clock: Clock;
  readonly observer?: RestObserver;
  /** Variables that name proxies. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Open the connections to services, and to other URLs. Default: TCP from this machine. */
  readonly dialers?: { readonly service?: BackendDialer | undefined; readonly url?: BackendDialer | undefined };
  /** Posts to this server itself, as itself. Default: it is a webhook as any other. */
  readonly postToServer?: PostToServer;
}

/**
 * Makes the clients of webhooks. Webhooks with the same configuration share a client and its connections.
 * Upstream: ClientManager of k8s.io/apiserver/pkg/util/webhook/client.go
 */
export class WebhookClients {
  readonly #options: WebhookClientsOptions;
  /** The least recently used one comes first. */
  readonly #clients = new Map<string, WebhookClient>();

  constructor(options: WebhookClientsOptions) {
    this.#options = options;
  }

  /** Throws a CallingWebhookError for a configuration without a usable address. */
  clientFor(config: WebhookClientConfig): WebhookClient {
    const { name: _, ...target } = config;
    const key = JSON.stringify(target);
    const client = this.#clients.get(key) ?? this.#create(config);
    this.#clients.delete(key);
    this.#clients.set(key, client);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > MAX_CLIENTS && oldest !== undefined) this.#clients.delete(oldest);
    return client;
  }

  #create({ name, url, service, caBundle }: WebhookClientConfig): WebhookClient {
    if (service !== undefined) return this.#forService(service, caBundle);
    if (url === undefined || url === '') {
      throw new CallingWebhookError(name, new Error('webhook configuration must have either service or URL'));
    }
    const fault = urlFault(url);
    const at = fault === undefined ? URL_PARTS.exec(url)?.groups : undefined;
    if (at === undefined) {
      const reason = fault ?? `parse ${quote(url)}: not an absolute https URL`;
      throw new CallingWebhookError(name, new Error(`Unparsable URL: ${reason}`));
    }
    const { host = '', port = '', path = '' } = at;
    return this.#at(
      { host, port, path: percentDecoded(path) ?? path },
      this.#transport(caBundle, this.#options.dialers?.url),
    );
  }

  #forService({ namespace, name, path = '', port = HTTPS_PORT }: WebhookService, caBundle: string): WebhookClient {
    const host = `${name}.${namespace}.svc`;
    const transport = { ...this.#transport(caBundle, this.#options.dialers?.service), serverName: host };
    const address = async () => await this.#options.resolveService({ namespace, name, port });
    return this.#at({ host, port: String(port), path }, transport, { address });
  }

  #at(
    { host, port, path }: { readonly host: string; readonly port: string; readonly path: string },
    transport: BackendTransport,
    more: Pick<RestConfig, 'address'> = {},
  ): WebhookClient {
    const config: RestConfig = {
      ...this.#credentials(`${host}:${port === '' ? HTTPS_PORT : port}`, transport),
      // No URL: it would drop the default port, which upstream's errors show.
      server: { protocol: 'https:', hostname: host, port, pathname: '/' },
      ...more,
    };
    const { clock, observer, environment, postToServer } = this.#options;
    const options = { config, path: cleanPath(path), clock };
    const isServer = host === SERVER && (port === '' || Number(port) === HTTPS_PORT);
    if (postToServer !== undefined && isServer) return createServerClient(options, postToServer);
    return createWebhookClient({ ...options, ...(observer && { observer }), ...(environment && { environment }) });
  }

  #credentials(target: string, transport: BackendTransport): Pick<RestConfig, 'transport' | 'credentials'> {
    const { userFor } = this.#options;
    if (userFor === undefined) return { transport: () => transport, credentials: () => ({}) };
    const { ca, serverName, dial } = transport;
    const user = userFor(target);
    const server = new URL(`https://${target}`);
    return newRestConfig({ server, ca: () => ca, ...user, ...(serverName !== undefined && { serverName }), dial });
  }

  #transport(ca: string, dial: BackendDialer | undefined): BackendTransport {
    const { allowsAddress } = this.#options;
    return {
      ca,
      certificate: '',
      key: '',
      verify: true,
      connectTimeout: CONNECT_TIMEOUT_MS,
      ...(allowsAddress && { allowsAddress }),
      ...(dial && { dial }),
    };
  }
}

/** Without a trailing slash, as upstream. */
function cleanPath(path: string): string {
  return posix.join('/', path).replace(/(?<=.)\/$/, '');
}
