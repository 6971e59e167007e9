import { field } from '@apiserver/component-base/flags';
import { versionInfo } from '@apiserver/component-base/version';
import { backUpStore } from '@apiserver/registry-store/backup';
import { buildInfo } from '../build-info.js';
import type { StoreCommand } from './store-command.js';

const description = `Writes all objects of a server to FILE, as they are at one moment, whether the server runs or not.

The file has the values that are stored, secrets included, and can be read by its owner alone. Keys and certificates in
--data-dir are not part of it: copy them, where a restored server is to be trusted as the old one was.

Of a damaged store there is no backup, unless --skip-damaged asks for what can still be read.`;

/** `kube-apiserver backup FILE` */
export function backupCommand(): StoreCommand {
  const options = { skipDamaged: false };
  return {
    use: 'backup FILE',
    description,
    addFlags: (sets) =>
      sets
        .section('backup')
        .bool(
          'skip-damaged',
          field(options, 'skipDamaged'),
          'Leave out objects that are damaged, which "kube-apiserver check" names, and say how many they are.',
        ),
    async run(file, directory) {
      const version = versionInfo(buildInfo()).gitVersion;
      const { skipDamaged } = options;
      const { keys, revision, damaged } = await backUpStore({
        ...{ directory, file, version, skipDamaged },
        now: () => new Date(),
      });
      const without = damaged === 0 ? '' : `, without ${damaged} that are damaged`;
      return { text: `${file}: ${keys} objects at revision ${revision}${without}`, code: 0 };
    },
  };
}
