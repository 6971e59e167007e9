import { join } from 'node:path';
import type { FlagSet } from '@apiserver/generic-server';
import { field } from '@apiserver/generic-server';

const builtBackends = ['lmdb', 'memory'] as const;

/** A storage backend this server has. */
export type StorageBackend = (typeof builtBackends)[number];

/**
 * Where the server keeps its data. Upstream has only etcd, and its flags; a folder of the server's own is what lets it
 * run alone. Upstream: k8s.io/apiserver/pkg/server/options.EtcdOptions
 */
export class DataOptions {
  /** `--data-dir`: objects, keys, certificates and the administrator's kubeconfig. */
  dataDirectory = '.kube-apiserver';
  /** `--storage-backend`: lmdb keeps objects in the data folder, memory forgets them at the end. */
  backend: string = 'lmdb';
  /** `--etcd-servers` */
  etcdServers: readonly string[] = [];
  /** `--etcd-prefix`: what every key begins with. */
  prefix = '/registry';

  addFlags(flags: FlagSet): void {
    flags.string(
      'data-dir',
      field(this, 'dataDirectory'),
      'Folder for everything the server keeps: objects, keys, certificates and the administrator’s kubeconfig. Made if missing.',
    );
    flags.string(
      'storage-backend',
      field(this, 'backend'),
      'Where objects are kept: "lmdb" (in the data folder) or "memory" (gone with the process).',
    );
    flags.stringSlice('etcd-servers', field(this, 'etcdServers'), 'Not built yet: an etcd cluster to keep objects in.');
    flags.string('etcd-prefix', field(this, 'prefix'), 'What the key of every object begins with.');
  }

  validate(): readonly Error[] {
    const errors: Error[] = [];
    if (this.dataDirectory === '') errors.push(new Error('--data-dir must not be empty'));
    if (this.etcdServers.length > 0) {
      errors.push(
        new Error('--etcd-servers: the etcd backend is not built yet; leave it out to keep objects in --data-dir'),
      );
    } else if (this.backend === 'etcd3') {
      errors.push(new Error('--storage-backend: the etcd3 backend is not built yet; use "lmdb" or "memory"'));
    } else if (!isBuilt(this.backend)) {
      errors.push(
        new Error(
          `--storage-backend invalid, allowed values: ${builtBackends.join(', ')}. If not specified, it will default to 'lmdb'`,
        ),
      );
    }
    return errors;
  }

  /** The backend, once `validate` found nothing. */
  get storageBackend(): StorageBackend {
    return isBuilt(this.backend) ? this.backend : 'lmdb';
  }

  /** Where the lmdb backend keeps objects. */
  get databaseDirectory(): string {
    return join(this.dataDirectory, 'db');
  }

  get kubeconfigPath(): string {
    return join(this.dataDirectory, 'admin.kubeconfig');
  }

  /** Where keys and certificates are made unless `--cert-dir` says otherwise. */
  get certificateDirectory(): string {
    return join(this.dataDirectory, 'pki');
  }
}

function isBuilt(backend: string): backend is StorageBackend {
  return builtBackends.some((name) => name === backend);
}
