import { field } from '@apiserver/component-base/flags';
import { versionInfo } from '@apiserver/component-base/version';
import { backUpStore } from '@apiserver/registry-store/backup';
import { buildInfo } from '../build-info.js';
import type { StoreCommand } from './store-command.js';

const description = `Writes a consistent snapshot of all objects of a server to FILE. The server may
be running.

The file contains the stored values, secrets included, and only its owner can
read it. It does not contain the keys and certificates in --data-dir: copy them
if clients must trust the restored server as the old one.

A damaged store has no backup, unless --skip-damaged leaves out unreadable
objects. If the journal of a killed server is damaged or missing, it leaves out
the last writes.`;

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
          'Leave out damaged objects, and print their number. "kube-apiserver check" lists them.',
        ),
    async run(file, directory) {
      const version = versionInfo(buildInfo()).gitVersion;
      const { skipDamaged } = options;
      const { keys, revision, damaged, lacksJournal } = await backUpStore({
        directory,
        file,
        version,
        skipDamaged,
        now: () => new Date(),
      });
      const without = damaged === 0 ? '' : `, without ${damaged} that are damaged`;
      const before = lacksJournal === true ? ', without the last writes, whose journal is damaged or missing' : '';
      return { text: `${file}: ${keys} objects at revision ${revision}${without}${before}`, code: 0 };
    },
  };
}
