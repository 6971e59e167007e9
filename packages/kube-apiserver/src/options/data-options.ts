import { join, posix } from 'node:path';
import { type FlagSet, field } from '@apiserver/component-base/flags';

/** The connections to `--etcd-servers`. An empty text is an absent flag. */
export interface EtcdTransport {
  readonly servers: readonly string[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

const backends = ['etcd3', 'lmdb', 'memory'] as const;

/**
 * The storage of the server. Upstream only has etcd, and its flags; a separate folder lets this server run alone.
 * Upstream: k8s.io/apiserver/pkg/server/options.EtcdOptions
 */
export class DataOptions {
  /**
   * `--data-dir`: objects, keys, certificates and the administrator's kubeconfig. "" until it is decided:
   * `.kube-apiserver`, or a place in the folder of the launcher that `--etcd-servers` names.
   */
  dataDirectory = '';
  /** `--storage-backend`: "" is etcd3 with `--etcd-servers`, else lmdb. */
  backend: string = '';
  /** `--etcd-servers` */
  etcdServers: readonly string[] = [];
  /** `--etcd-cafile` */
  etcdCAFile = '';
  /** `--etcd-certfile` */
  etcdCertFile = '';
  /** `--etcd-keyfile` */
  etcdKeyFile = '';
  /** `--etcd-prefix`: the prefix of every key, as given; see `keyRoot`. */
  prefix = '/registry';

  /** `additional` takes the flag that upstream does not have. */
  addFlags(flags: FlagSet, additional: FlagSet): void {
    this.#addDirectoryFlag(additional);
    this.#addStoreFlags(flags);
    flags.string('etcd-prefix', field(this, 'prefix'), 'Prefix of the keys of all objects in etcd.');
  }

  /** Adds the flags for the place of objects, without those for their form. */
  addPlaceFlags(flags: FlagSet): void {
    this.#addDirectoryFlag(flags);
    this.#addStoreFlags(flags);
  }

  #addDirectoryFlag(flags: FlagSet): void {
    flags.string(
      'data-dir',
      field(this, 'dataDirectory'),
      'Directory of objects, keys, certificates and the kubeconfig of the administrator. Created if missing. Default ".kube-apiserver".',
    );
  }

  #addStoreFlags(flags: FlagSet): void {
    flags.string(
      'storage-backend',
      field(this, 'backend'),
      'Storage of objects: "lmdb" (in the data directory), "memory" (lost when the process ends) or "etcd3" (see --etcd-servers). Default "etcd3" with --etcd-servers, else "lmdb".',
    );
    flags.stringSlice(
      'etcd-servers',
      field(this, 'etcdServers'),
      'URLs of the members of one etcd cluster that keeps the objects; or the URL of the etcd of this build, which names a data directory.',
    );
    flags.string(
      'etcd-cafile',
      field(this, 'etcdCAFile'),
      'PEM file of certificate authorities that verify the etcd servers.',
    );
    flags.string(
      'etcd-certfile',
      field(this, 'etcdCertFile'),
      'PEM file of the client certificate for the etcd servers.',
    );
    flags.string('etcd-keyfile', field(this, 'etcdKeyFile'), 'PEM file of the private key of --etcd-certfile.');
  }

  validate(): readonly Error[] {
    const { backend, etcdServers } = this;
    if (backend !== '' && !backends.some((name) => name === backend)) {
      const known = backends.join(', ');
      return [
        new Error(`--storage-backend invalid, allowed values: ${known}. If not specified, it will default to 'lmdb'`),
      ];
    }
    if (this.usesEtcd && etcdServers.length === 0) return [new Error('--etcd-servers must be specified')];
    if (!this.usesEtcd && etcdServers.length > 0) {
      return [new Error(`--etcd-servers: has no meaning with --storage-backend=${backend}`)];
    }
    return etcdServers.filter((server) => !isHttpUrl(server)).map(malformed);
  }

  /** True if objects are stored in `--etcd-servers`. */
  get usesEtcd(): boolean {
    return this.backend === 'etcd3' || (this.backend === '' && this.etcdServers.length > 0);
  }

  get transport(): EtcdTransport {
    const { etcdServers: servers, etcdCAFile: caFile, etcdCertFile: certFile, etcdKeyFile: keyFile } = this;
    return { servers, caFile, certFile, keyFile };
  }

  /**
   * The prefix as it begins each key: absolute, cleaned, and without a trailing slash. Upstream:
   * k8s.io/apiserver/pkg/storage/etcd3/store.go New
   */
  get keyRoot(): string {
    return posix.join('/', this.prefix).replace(/\/$/, '');
  }

  get kubeconfigPath(): string {
    return join(this.dataDirectory, 'admin.kubeconfig');
  }

  /** The folder of generated keys and certificates, unless `--cert-dir` names one. */
  get certificateDirectory(): string {
    return join(this.dataDirectory, 'pki');
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^/]/.test(text) && URL.canParse(text);
}

function malformed(server: string): Error {
  return new Error(
    `--etcd-servers: ${JSON.stringify(server)} is not of the form http://host:port or https://host:port`,
  );
}
