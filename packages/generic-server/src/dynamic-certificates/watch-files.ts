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

function watchPlaces(options: WatchOptions, places: () => ReadonlySet<string>): void {
  if (!options.signal.aborted) new WatchedPlaces(options, places).begin();
}

/** Watches folders. They are determined again after each event, because links may lead elsewhere then. */
class WatchedPlaces {
  readonly #options: WatchOptions;
  readonly #places: () => ReadonlySet<string>;
  readonly #watchers = new Map<string, FSWatcher>();
  #settling: NodeJS.Timeout | undefined;

  constructor(options: WatchOptions, places: () => ReadonlySet<string>) {
    this.#options = options;
    this.#places = places;
  }

  begin(): void {
    const refresh = setInterval(() => this.#look(), REFRESH_INTERVAL_MS).unref();
    const stop = () => {
      clearInterval(refresh);
      clearTimeout(this.#settling);
      for (const watcher of this.#watchers.values()) end(watcher);
    };
    this.#options.signal.addEventListener('abort', stop, { once: true });
    for (const folder of this.#places()) this.#watch(folder);
  }

  #look(): void {
    const folders = this.#places();
    for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#drop(folder);
    for (const folder of folders) this.#watch(folder);
    this.#options.changed();
  }

  #lookSoon(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      this.#look();
    }, SETTLE_TIME_MS).unref();
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // The folder itself may have been replaced, and the system keeps to the old one.
        if (name === basename(folder)) this.#drop(folder);
        this.#lookSoon();
      });
      this.#watchers.set(
        folder,
        watcher.on('error', () => this.#drop(folder)),
      );
    } catch (error) {
      this.#options.failed(error, folder);
    }
  }

  #drop(folder: string): void {
    const watcher = this.#watchers.get(folder);
    if (watcher !== undefined) end(watcher);
    this.#watchers.delete(folder);
  }
}

/** Node keeps an ended watcher until V8 collects the whole heap; with its listeners, it would keep their server. */
function end(watcher: FSWatcher): void {
  watcher.close();
  watcher.removeAllListeners();
}
