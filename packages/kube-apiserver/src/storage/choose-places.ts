import { join } from 'node:path';
import type { DataOptions, EtcdTransport } from '../options/data-options.js';
import type { AskOptions } from './store-launcher.js';

/** The chosen storage of objects. */
export type StorageChoice =
  | { readonly type: 'memory' }
  | { readonly type: 'etcd3'; readonly transport: EtcdTransport }
  | { readonly type: 'lmdb'; readonly directory: string; readonly fsync: boolean };

/** The chosen storage, and the folder of keys, certificates and the administrator's kubeconfig. */
export interface DataPlaces {
  readonly storage: StorageChoice;
  readonly dataDirectory: string;
}

const ownDirectory = '.kube-apiserver';

/**
 * Chooses the storage of a server, from validated options. `--etcd-servers` names an etcd, or a launcher of this
 * project, which has a folder for everything. Throws a StartupError.
 */
export async function choosePlaces(data: DataOptions, asking: AskOptions = {}): Promise<DataPlaces> {
  if (data.usesEtcd) return placesOfLauncher(data, asking);
  const dataDirectory = data.dataDirectory || ownDirectory;
  if (data.backend === 'memory') return { storage: { type: 'memory' }, dataDirectory };
  return { storage: { type: 'lmdb', directory: join(dataDirectory, 'db'), fsync: true }, dataDirectory };
}

async function placesOfLauncher({ transport, dataDirectory }: DataOptions, asking: AskOptions): Promise<DataPlaces> {
  const { askForStore } = await import('./store-launcher.js');
  const handover = await askForStore(transport, asking);
  if (handover === undefined)
    return { storage: { type: 'etcd3', transport }, dataDirectory: dataDirectory || ownDirectory };
  const { directory, fsync } = handover;
  return {
    storage: { type: 'lmdb', directory: join(directory, 'db'), fsync },
    dataDirectory: dataDirectory || join(directory, 'kube-apiserver'),
  };
}
