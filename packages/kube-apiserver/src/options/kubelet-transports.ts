import { readFileSync } from 'node:fs';
import { hasElapsed } from '@apiserver/apimachinery/clock';
import type { KubeletClientConfig } from '@apiserver/builtin-resources';

type Transports = Pick<KubeletClientConfig, 'transport' | 'insecureTransport'>;

/** Milliseconds for which files are cached. Upstream: tlsClientCertificateCacheTTL of client-go/transport */
const FRESH_MS = 1_000;

/** Options of connections to kubelets. Files are PEM; "" for none. */
export interface KubeletTransportOptions {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly authorityFile: string;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Milliseconds of a clock for durations. */
  readonly now: () => number;
  /** Opens the connections. Default: TCP from this machine. */
  readonly dial?: KubeletClientConfig['transport']['dial'];
}

/**
 * The transports to kubelets with the current files, which are read again on a connection, at most once a second.
 * Unchanged files keep the transports, because they pool connections. Files that become unreadable change nothing.
 * Upstream: cachingCertificateLoader of client-go/transport; feature ClientsAllowCARotation, on
 */
export class KubeletTransports implements Transports {
  readonly #options: KubeletTransportOptions;
  #read: readonly string[];
  #readAt: number;
  #transports: Transports;

  /** Throws an Error that names the file that cannot be read. */
  constructor(options: KubeletTransportOptions) {
    this.#options = options;
    this.#read = this.#contents();
    this.#readAt = options.now();
    this.#transports = this.#made();
  }

  get transport(): Transports['transport'] {
    return this.#current().transport;
  }

  get insecureTransport(): Transports['insecureTransport'] {
    return this.#current().insecureTransport;
  }

  #current(): Transports {
    if (!hasElapsed(this.#options, this.#readAt, FRESH_MS)) return this.#transports;
    this.#readAt = this.#options.now();
    const read = this.#contentsIfThere();
    if (read?.some((text, index) => text !== this.#read[index])) {
      this.#read = read;
      this.#transports = this.#made();
    }
    return this.#transports;
  }

  #made(): Transports {
    const [certificate = '', key = '', ca = ''] = this.#read;
    const { connectTimeout, dial } = this.#options;
    const own = { certificate, key, connectTimeout, ...(dial && { dial }) };
    return {
      transport: { ...own, ca, verify: ca !== '' },
      insecureTransport: { ...own, ca: '', verify: false },
    };
  }

  #contentsIfThere(): readonly string[] | undefined {
    try {
      return this.#contents();
    } catch {
      return undefined;
    }
  }

  #contents(): readonly string[] {
    const { certificateFile, keyFile, authorityFile } = this.#options;
    return [certificateFile, keyFile, authorityFile].map((file) => (file === '' ? '' : readFileSync(file, 'utf8')));
  }
}
