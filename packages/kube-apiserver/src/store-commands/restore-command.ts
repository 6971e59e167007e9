import { field } from '@apiserver/component-base/flags';
import { StartupError } from '@apiserver/component-base/process';
import { restoreStore } from '@apiserver/registry-store/backup';
import type { StoreCommand } from './store-command.js';

/** The increase that etcd's documentation recommends for restoring a Kubernetes cluster. */
const DEFAULT_BUMP = 1_000_000_000;

const description = `Restores FILE, a backup of "kube-apiserver backup", to a --data-dir without a
store.

Objects keep their resource versions. The current version is raised above all
versions that the old server can have used since the backup. Older ones count as
compacted, so clients with watches list again and see the restored state.`;

/** `kube-apiserver restore FILE` */
export function restoreCommand(): StoreCommand {
  const options = { bump: DEFAULT_BUMP };
  return {
    use: 'restore FILE',
    description,
    addFlags: (sets) =>
      sets
        .section('restore')
        .int(
          'bump-revision',
          field(options, 'bump'),
          'Minimum increase of the current resource version; ten for each millisecond since the backup are added.',
        ),
    async run(file, directory) {
      const { bump } = options;
      if (bump < 0) throw new StartupError('--bump-revision must not be negative');
      const { keys, revision } = await restoreStore({ file, directory, bump, now: () => new Date() });
      const text = `${directory}: ${keys} objects; the next resource version is above ${revision}`;
      return { text, code: 0 };
    },
  };
}
