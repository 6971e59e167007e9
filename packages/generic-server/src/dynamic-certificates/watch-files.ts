import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '@apiserver/apiserver-contracts';

/** Interval of checks besides the system's notifications. Upstream: FileRefreshDuration */
const REFRESH_INTERVAL = 60_000;
/** Milliseconds between the first change and the check, because related files are not written at the same time. */
const SETTLE_TIME = 50;

/** The end of a watch. */
interface WatchOptions {
  /** Called after changes, and at intervals without any. */
  readonly changed: () => void;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** The files to watch. */
export interface WatchFilesOptions extends WatchOptions {
  readonly paths: readonly string[];
}

/** The folders to watch. */
export interface WatchFoldersOptions extends WatchOptions {
  readonly folders: Iterable<string>;
}

/**
 * Reports events in the folders of some files. A folder also reports replaced files, and the symbolic link that a
 * mounted Secret swaps. Does not keep the process alive.
 */
export function watchFiles({ paths, ...options }: WatchFilesOptions): void {
  watchFolders({ ...options, folders: new Set(paths.map((path) => dirname(path))) });
}

/** Reports events in folders, and calls at intervals without any. Does not keep the process alive. */
export function watchFolders({ folders, changed, signal, logger }: WatchFoldersOptions): void {
  if (signal.aborted) return;
  let settling: NodeJS.Timeout | undefined;
  const happened = () => {
    settling ??= setTimeout(() => {
      settling = undefined;
      changed();
    }, SETTLE_TIME).unref();
  };
  const refresh = setInterval(changed, REFRESH_INTERVAL).unref();
  signal.addEventListener(
    'abort',
    () => {
      clearInterval(refresh);
      clearTimeout(settling);
    },
    { once: true },
  );
  for (const folder of folders) {
    try {
      const watcher = watch(folder, { persistent: false }, happened).on('error', () => {});
      signal.addEventListener('abort', () => end(watcher), { once: true });
    } catch (error) {
      logger.error(error, 'Failed to watch a folder, its files are looked at every minute', { folder });
    }
  }
}

/** Node keeps an ended watcher until V8 collects the whole heap; with its listeners, it would keep their server. */
function end(watcher: FSWatcher): void {
  watcher.close();
  watcher.removeAllListeners();
}
