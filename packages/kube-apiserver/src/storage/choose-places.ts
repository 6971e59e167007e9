import { join } from 'node:path';
import type { KeyValueStore } from '@apiserver/registry-store';
import type { DataOptions, EtcdTransport } from '../options/data-options.js';
import type { AskOptions } from './store-launcher.js';

/** The chosen storage of objects. */
export type StorageChoice =
  | { readonly type: 'memory' }
  | { readonly type: 'etcd3'; readonly transport: EtcdTransport }
  | { readonly type: 'lmdb'; readonly directory: string; readonly fsync: boolean };

/** A store of the program, or the chosen one. */
export type StorageSource = StorageChoice | { readonly type: 'given'; readonly store: KeyValueStore };

/** The chosen storage, and the folder of keys, certificates and the administrator's kubeconfig. */
export interface DataPlaces {
  readonly storage: StorageChoice;
  readonly dataDirectory: string;
}

const OWN_DIRECTORY = '.kube-apiserver';

/**
 * Chooses the storage of a server, from validated options. `--etcd-servers` names an etcd, or a launcher of this
 * project, which has a folder for everything. `isDialled`: it is an etcd of another network. Throws a StartupError.
 */
export async function choosePlaces(
  data: DataOptions,
  { isDialled = false, ...asking }: AskOptions & { readonly isDialled?: boolean } = {},
): Promise<DataPlaces> {
  if (data.usesEtcd) return isDialled ? placesOfEtcd(data) : placesOfLauncher(data, asking);
  const dataDirectory = dataDirectoryOf(data);
  if (data.backend === 'memory') return { storage: { type: 'memory' }, dataDirectory };
  return { storage: { type: 'lmdb', directory: join(dataDirectory, 'db'), fsync: true }, dataDirectory };
}

/** The same places, with the objects in memory where no flag asks for a folder and no etcd has them. */
export function preferMemory(places: DataPlaces, { backend }: Pick<DataOptions, 'backend'>): DataPlaces {
  return backend === '' && places.storage.type === 'lmdb' ? { ...places, storage: { type: 'memory' } } : places;
}

/** The folder of a server that no launcher names. */
export function dataDirectoryOf({ dataDirectory }: DataOptions): string {
  return dataDirectory || OWN_DIRECTORY;
}

function placesOfEtcd(data: DataOptions): DataPlaces {
  return { storage: { type: 'etcd3', transport: data.transport }, dataDirectory: dataDirectoryOf(data) };
}

async function placesOfLauncher(data: DataOptions, asking: AskOptions): Promise<DataPlaces> {
  const { transport, dataDirectory } = data;
  const { askForStore } = await import('./store-launcher.js');
  const handover = await askForStore(transport, asking);
  if (handover === undefined) return placesOfEtcd(data);
  const { directory, fsync } = handover;
  return {
    storage: { type: 'lmdb', directory: join(directory, 'db'), fsync },
    dataDirectory: dataDirectory || join(directory, 'kube-apiserver'),
  };
}
