import { StartupError } from '@apiserver/component-base/process';
import type { DataOptions } from '../options/data-options.js';
import { choosePlaces } from '../storage/choose-places.js';
import type { StoreCommandName } from './store-command.js';

const tools = {
  backup: 'etcdctl snapshot save FILE',
  restore: 'etcdutl snapshot restore FILE',
  check: 'etcdctl endpoint hashkv',
} as const;

/**
 * The folder of the store of a server with these options. Throws a StartupError for an etcd, which has its own tools.
 */
export async function storeDirectory(data: DataOptions, command: StoreCommandName): Promise<string> {
  const { storage } = await choosePlaces(data, { patience: 0 });
  switch (storage.type) {
    case 'lmdb':
      return storage.directory;
    case 'memory':
      throw new StartupError(`${command}: --storage-backend=memory keeps nothing`);
    case 'etcd3': {
      const servers = storage.transport.servers.join(',');
      throw new StartupError(`${command}: the objects are kept by the etcd at ${servers}; use "${tools[command]}"`);
    }
  }
}
