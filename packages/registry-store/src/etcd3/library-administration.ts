import { messageOf } from '@apiserver/apimachinery/errors';
import type { Etcd3, IOptions } from 'etcd3';
import { GrpcCode, GrpcError } from '../grpc/grpc-error.js';
import { type EtcdAdministration, type EtcdStatus, newLeaseId } from './etcd-administration.js';

/** Credentials for the etcd3 library. */
export type EtcdCredentials = NonNullable<IOptions['credentials']>;

/** The cluster of `LibraryAdministration`. */
export interface LibraryAdministrationOptions {
  readonly endpoints: readonly string[];
  readonly credentials: EtcdCredentials | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  /** A random number from 0 to below `bound`. */
  readonly random: (bound: number) => number;
}

/**
 * Rare requests through the etcd3 library: leases and maintenance. The library is loaded on first use, because loading
 * it takes longer than a start of this server.
 */
export class LibraryAdministration implements EtcdAdministration {
  readonly #options: LibraryAdministrationOptions;
  /** By joined endpoints. */
  readonly #clients = new Map<string, Promise<Etcd3>>();

  constructor(options: LibraryAdministrationOptions) {
    this.#options = options;
  }

  /**
   * Returns the id of a new lease. It is chosen here: the library rounds etcd's ids of 63 bits unless it finds the
   * package for long integers.
   */
  async grantLease(seconds: number): Promise<number> {
    const client = await this.#client(this.#options.endpoints);
    const id = newLeaseId(this.#options.random);
    try {
      await client.leaseClient.leaseGrant({ TTL: seconds, ID: id }, this.#callOptions());
    } catch (error) {
      throw asGrpcError(error);
    }
    return id;
  }

  /** Asks one member. */
  async status(endpoint: string): Promise<EtcdStatus> {
    const client = await this.#client([endpoint]);
    const { version, dbSize } = await client.maintenance.status(this.#callOptions());
    return { version, databaseSize: Number(dbSize) };
  }

  async close(): Promise<void> {
    const clients = await Promise.allSettled(this.#clients.values());
    this.#clients.clear();
    for (const client of clients) if (client.status === 'fulfilled') client.value.close();
  }

  #client(endpoints: readonly string[]): Promise<Etcd3> {
    const name = endpoints.join();
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const made = this.#connect(endpoints);
    this.#clients.set(name, made);
    return made;
  }

  async #connect(endpoints: readonly string[]): Promise<Etcd3> {
    const { Etcd3 } = await import('etcd3');
    const { credentials } = this.#options;
    return new Etcd3({ hosts: [...endpoints], ...(credentials === undefined ? {} : { credentials }) });
  }

  #callOptions(): { readonly deadline: number } {
    return { deadline: Date.now() + this.#options.timeout };
  }
}

/** The library's errors begin with the code: `8 RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded`. */
const CODE = /^(\d+) [A-Z_]+: /;

/** The write for which a lease was to be made was not sent. */
function asGrpcError(error: unknown): GrpcError {
  const text = messageOf(error);
  const code = Number(CODE.exec(text)?.[1] ?? GrpcCode.unavailable);
  return new GrpcError(code, text.replace(CODE, ''), 'unsent', error);
}
