import { checkStore } from '@apiserver/registry-store/check';
import type { StoreCommand } from './store-command.js';

const description = `Reads the whole store of a server, and prints a line for each damaged record. It
changes nothing.

No server may use the store meanwhile. DIR is the --data-dir of a server, or a
copy of it. The exit code is 1 if a record is damaged. A server with
--feature-gates=AllowUnsafeMalformedObjectDeletion=true deletes damaged objects
by the option "ignoreStoreReadErrorWithClusterBreakingPotential" of
DeleteOptions. "backup --skip-damaged" leaves them out.`;

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
