import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Interval of checks besides the system's notifications. Upstream: FileRefreshDuration */
const REFRESH_INTERVAL_MS = 60_000;
/** Milliseconds between the first change and the check, because related files are not written at the same time. */
const SETTLE_TIME_MS = 50;

/** The end of a watch. */
interface WatchOptions {
  /** Called after changes, and at intervals without any. */
  readonly changed: () => void;
  /** Hears of a folder that cannot be watched. */
  readonly failed: (error: unknown, folder: string) => void;
  readonly signal: AbortSignal;
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
 * Reports events in the folders of some files, and of the files that symbolic links on their paths lead to. A folder
 * also reports replaced files, and the symbolic link that a mounted Secret swaps. Does not keep the process alive.
 */
export function watchFiles({ paths, ...options }: WatchFilesOptions): void {
  watchPlaces(options, () => new Set(paths.flatMap((path) => [dirname(path), ...realFolder(path)])));
}

/** Reports events in folders, and calls at intervals without any. Does not keep the process alive. */
export function watchFolders({ folders, ...options }: WatchFoldersOptions): void {
  const all = new Set(folders);
  watchPlaces(options, () => all);
}

/** The folder of the file itself; nothing while there is no file. */
function realFolder(path: string): readonly string[] {
  try {
    return [dirname(realpathSync(path))];
  } catch {
    return [];
  }
}

/** `places` are determined again after each event, because links may lead elsewhere then. */
function watchPlaces({ changed, signal, failed }: WatchOptions, places: () => ReadonlySet<string>): void {
  if (signal.aborted) return;
  const watchers = new Map<string, FSWatcher>();
  let settling: NodeJS.Timeout | undefined;
  const look = () => {
    const folders = places();
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue;
      end(watcher);
      watchers.delete(folder);
    }
    for (const folder of folders) begin(folder);
    changed();
  };
  const happened = () => {
    settling ??= setTimeout(() => {
      settling = undefined;
      look();
    }, SETTLE_TIME_MS).unref();
  };
  const begin = (folder: string) => {
    if (watchers.has(folder)) return;
    try {
      const drop = () => {
        end(watcher);
        watchers.delete(folder);
      };
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // The folder itself may have been replaced, and the system keeps to the old one.
        if (name === basename(folder)) drop();
        happened();
      }).on('error', drop);
      watchers.set(folder, watcher);
    } catch (error) {
      failed(error, folder);
    }
  };
  const refresh = setInterval(look, REFRESH_INTERVAL_MS).unref();
  signal.addEventListener(
    'abort',
    () => {
      clearInterval(refresh);
      clearTimeout(settling);
      for (const watcher of watchers.values()) end(watcher);
    },
    { once: true },
  );
  for (const folder of places()) begin(folder);
}

/** Node keeps an ended watcher until V8 collects the whole heap; with its listeners, it would keep their server. */
function end(watcher: FSWatcher): void {
  watcher.close();
  watcher.removeAllListeners();
}
