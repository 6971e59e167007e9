import { field } from '@apiserver/component-base/flags';
import { StartupError } from '@apiserver/component-base/process';
import { restoreStore } from '@apiserver/registry-store/backup';
import type { StoreCommand } from './store-command.js';

/** The increase that etcd's documentation recommends for restoring a Kubernetes cluster. */
const DEFAULT_BUMP = 1_000_000_000;

const description = `Makes the store of a server out of FILE, which "kube-apiserver backup" has written, in a --data-dir that has none.

Objects keep their resource versions. The newest one is raised above all that the old server can have given since the
backup, and what is older counts as compacted: clients that watch are told to list again, and see what has changed back.`;

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
          'By how much the newest resource version is raised at least; ten for each millisecond since the backup come to it.',
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
