import { Buffer } from 'node:buffer';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { BackendTransport } from '@apiserver/proxy';
import type { ServiceTarget } from './service-resolver.js';

/** The client certificate for remote servers, in PEM; "" for none. */
export interface ProxyCertificate {
  readonly certificate: string;
  readonly key: string;
  /** Opens the connections. Default: TCP from this machine. */
  readonly dial?: BackendTransport['dial'];
}

/** Dependencies of `KeptTransports`. */
export interface KeptTransportsOptions {
  readonly certificate: () => ProxyCertificate;
  /** Time to connect, in milliseconds. */
  readonly connectTimeout: number;
}

/**
 * The transports to the servers of APIServices, by name. Connections are pooled by transport, so each stays the same
 * object until the APIService or the certificate changes.
 */
export class KeptTransports {
  readonly #options: KeptTransportsOptions;
  readonly #transports = new Map<string, BackendTransport>();

  constructor(options: KeptTransportsOptions) {
    this.#options = options;
  }

  transportTo(apiService: APIService, target: ServiceTarget): BackendTransport {
    const { name = '' } = apiService.metadata;
    const made = this.newTransport(apiService, target);
    const kept = this.#transports.get(name);
    if (kept !== undefined && isSame(kept, made)) return kept;
    this.#transports.set(name, made);
    return made;
  }

  /** One that is not kept. The server's certificate is verified against the name of its service, at any address. */
  newTransport({ spec }: APIService, { namespace, name }: ServiceTarget): BackendTransport {
    const { caBundle = '', insecureSkipTLSVerify = false } = spec;
    return {
      ca: Buffer.from(caBundle, 'base64').toString(),
      ...this.#options.certificate(),
      serverName: `${name}.${namespace}.svc`,
      verify: !insecureSkipTLSVerify,
      connectTimeout: this.#options.connectTimeout,
    };
  }

  forget({ metadata: { name = '' } }: APIService): void {
    this.#transports.delete(name);
  }
}

function isSame(a: BackendTransport, b: BackendTransport): boolean {
  return (
    a.ca === b.ca &&
    a.certificate === b.certificate &&
    a.key === b.key &&
    a.verify === b.verify &&
    a.serverName === b.serverName
  );
}
