import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type Clock, durationClock, systemClock } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { SocketDialer } from '../grpc/dialled-socket.js';
import { KeyValueError } from '../key-value-error.js';
import type { KeyValueStore } from '../key-value-store.js';
import { DEFAULT_COMPACTION_INTERVAL_MS } from '../mvcc/compactor.js';
import { DirectAdministration } from './direct-administration.js';
import type { EtcdAdministration } from './etcd-administration.js';
import { EtcdConnection } from './etcd-connection.js';
import { EtcdStore } from './etcd-store.js';
import { DEFAULT_LEASE_REUSE_SECONDS } from './lease-manager.js';
import { type EtcdCredentials, LibraryAdministration } from './library-administration.js';

/** Upstream: storagebackend/factory/etcd3.go dialTimeout */
const DIAL_TIMEOUT_MS = 20_000;
const CONNECT_TIMEOUT_MS = 5000;
const STATUS_TIMEOUT_MS = 500;
const REQUEST_TIMEOUT_MS = 60_000;

/** Addresses and certificates of the cluster, and dependencies of the store. */
export interface EtcdStoreOptions {
  /** `host:port`, `http://host:port` or `https://host:port`, all of one cluster. Upstream flag: --etcd-servers */
  readonly servers: readonly string[];
  /** Files in PEM. Upstream flags: --etcd-cafile, --etcd-certfile, --etcd-keyfile */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** A random number from 0 to below `bound`. Default: the machine's randomness. */
  readonly random?: (bound: number) => number;
  /** Milliseconds; 0: never. Upstream flag: --etcd-compaction-interval, default 5 minutes. */
  readonly compactionInterval?: number;
  /** Upstream flag: --lease-reuse-duration-seconds, default 60. */
  readonly leaseReuseSeconds?: number;
  /** Milliseconds to wait for the first response. Default 20 seconds. */
  readonly dialTimeout?: number;
  /** Timeout of a request in milliseconds. Default 60 seconds. */
  readonly requestTimeout?: number;
  /** Opens connections to the servers. Default: TCP from this machine. Upstream: the egress of etcd */
  readonly dial?: SocketDialer | undefined;
  /** Called after a failed compaction. Default: no notification. */
  readonly compactionFailed?: (error: unknown) => void;
  /**
   * Called when another etcd has replaced the one before (its data was removed, a backup restored), after watches have
   * ended and caches were dropped. Default: no notification.
   */
  readonly replaced?: (why: string) => void;
}

/** Opens a store on etcd. Throws Unavailable when no server responds in time or a file cannot be read. */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<EtcdStore> {
  const { clock = systemClock, random = randomInt } = options;
  const credentials = await readCredentials(options);
  const [first, ...others] = options.servers.map((server) => endpointUrl(server, credentials !== undefined));
  if (first === undefined) throw new KeyValueError('Unavailable', 'no etcd server is named');
  const connection = new EtcdConnection({
    endpoints: [first, ...others],
    tls: tlsOptions(credentials),
    dial: options.dial,
    clock,
    requestTimeout: options.requestTimeout ?? REQUEST_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    replaced: (why) => store.replaced(why),
  });
  const direct = new DirectAdministration(connection, random);
  const store: EtcdStore = new EtcdStore({
    connection,
    status: (endpoint) => direct.status(endpoint),
    administration: options.dial === undefined ? administrationOf(connection, credentials, random) : direct,
    clock,
    compactionInterval: options.compactionInterval ?? DEFAULT_COMPACTION_INTERVAL_MS,
    leaseReuseSeconds: options.leaseReuseSeconds ?? DEFAULT_LEASE_REUSE_SECONDS,
    compactionFailed: options.compactionFailed ?? (() => {}),
    replaced: options.replaced ?? (() => {}),
  });
  try {
    await firstResponse(store, clock, options.dialTimeout ?? DIAL_TIMEOUT_MS);
    await orTimeout(store.learnFreshness(), clock);
    return store;
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

/** See DirectAdministration for the limits of the library. */
function administrationOf(
  connection: EtcdConnection,
  credentials: EtcdCredentials | undefined,
  random: (bound: number) => number,
): EtcdAdministration {
  const { endpoints } = connection;
  const secure = endpoints.map((endpoint) => new URL(endpoint)).filter(({ protocol }) => protocol === 'https:');
  const addresses = secure.filter(({ hostname }) => isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0);
  if (addresses.length > 0) return new DirectAdministration(connection, random);
  return new LibraryAdministration({ endpoints, credentials, timeout: CONNECT_TIMEOUT_MS, random });
}

/** A member that is down must not delay the start. */
async function orTimeout(work: Promise<void>, clock: Clock): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.schedule(resolve, STATUS_TIMEOUT_MS);
  await Promise.race([work, late]);
  cancel();
}

/** Waits for the first response of the cluster. */
async function firstResponse(store: KeyValueStore, clock: Clock, timeout: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = clock.schedule(
    () => reject(new KeyValueError('Unavailable', 'etcd: context deadline exceeded')),
    timeout,
  );
  const passing = durationClock(clock);
  const until = passing.now() + timeout;
  const responded = async (): Promise<void> => {
    for (;;) {
      try {
        await store.currentRevision();
        return;
      } catch (error) {
        if (passing.now() >= until) throw error;
      }
    }
  };
  try {
    await Promise.race([responded(), late]);
  } finally {
    cancel();
  }
}

async function readCredentials({ caFile, certFile, keyFile }: EtcdStoreOptions): Promise<EtcdCredentials | undefined> {
  if (!caFile && !certFile && !keyFile) return undefined;
  const [rootCertificate, certChain, privateKey] = await Promise.all([caFile, certFile, keyFile].map(readIfNamed));
  return {
    // The library's type requires a root; without one the system's are used.
    ...({ rootCertificate } as { rootCertificate: Buffer }),
    ...(certChain === undefined ? {} : { certChain }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}

async function readIfNamed(path: string | undefined): Promise<Buffer | undefined> {
  if (!path) return undefined;
  try {
    return await readFile(path);
  } catch (cause) {
    throw new KeyValueError('Unavailable', `cannot read ${path}: ${messageOf(cause)}`, {
      cause,
    });
  }
}

function tlsOptions(credentials: EtcdCredentials | undefined): ConstructorParameters<typeof EtcdConnection>[0]['tls'] {
  if (credentials === undefined) return {};
  const { rootCertificate: ca, certChain: cert, privateKey: key } = credentials;
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

/** A server without a scheme uses TLS if there are credentials. */
function endpointUrl(server: string, secure: boolean): string {
  const url = /^[a-z]+:\/\//.test(server) ? server : `${secure ? 'https' : 'http'}://${server}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new KeyValueError('Unavailable', `${server} is no address of an etcd server`);
  }
  return parsed.origin;
}
