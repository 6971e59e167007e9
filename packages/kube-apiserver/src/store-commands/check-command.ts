import { checkStore } from '@apiserver/registry-store/check';
import type { StoreCommand } from './store-command.js';

const description = `Reads all that a server has stored, and tells what of it is damaged, a line for each thing; nothing is changed.

No server may use it meanwhile. DIR is a server's --data-dir, which can be a copy. The exit code is 1 when something is
damaged. An object that is damaged can be deleted by a server with --feature-gates=AllowUnsafeMalformedObjectDeletion=true
("ignoreStoreReadErrorWithClusterBreakingPotential" of its DeleteOptions), or left behind with "backup --skip-damaged".`;

/** `kube-apiserver check [DIR]` */
export function checkCommand(): StoreCommand {
  return {
    use: 'check [DIR]',
    description,
    addFlags: () => {},
    async run(_file, directory) {
      const { faults, keys, revision, unchecked } = await checkStore(directory);
      const found = faults.length === 0 ? 'nothing is damaged' : `damaged: ${faults.length}`;
      const old = unchecked === 0 ? '' : `; ${unchecked} records are older than checksums`;
      const summary = `${directory}: ${keys} objects at revision ${revision}, ${found}${old}`;
      return { text: [...faults, summary].join('\n'), code: faults.length === 0 ? 0 : 1 };
    },
  };
}
