import { versionInfo } from '@apiserver/generic-server';
import { backUpStore } from '@apiserver/registry-store/backup';
import { buildInfo } from '../build-info.js';
import type { StoreCommand } from './store-command.js';

const description = `Writes all objects of a server to FILE, as they are at one moment, whether the server runs or not.

The file has the values that are stored, secrets included, and can be read by its owner alone. Keys and certificates in
--data-dir are not part of it: copy them, where a restored server is to be trusted as the old one was.`;

/** `kube-apiserver backup FILE` */
export function backupCommand(): StoreCommand {
  return {
    use: 'backup FILE',
    description,
    addFlags: () => {},
    async run(file, directory) {
      const version = versionInfo(buildInfo()).gitVersion;
      const { keys, revision } = await backUpStore({ directory, file, version, now: () => new Date() });
      return `${file}: ${keys} objects at revision ${revision}`;
    },
  };
}
