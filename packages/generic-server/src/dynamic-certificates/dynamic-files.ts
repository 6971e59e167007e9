import { readFileSync } from 'node:fs';
import type { Clock } from '@apiserver/apimachinery/clock';
import { errorOf, goFileError, messageOf } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import { READ_WITHOUT_WAITING } from '@apiserver/component-base/process';
import { createWorkQueueMetrics, runWorkQueue, type WorkQueue } from '@apiserver/component-base/work-queue';
import { watchFiles } from './watch-files.js';

/** Upstream: workItemKey of k8s.io/apiserver/pkg/server/dynamiccertificates */
export const WORK_ITEM = 'key';

/** Parts of the process that follows files. */
export interface FollowingProcess {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/** The files, and the requirements on their content. */
export interface DynamicFilesOptions {
  /** For the log: "serving-cert::/pki/a.crt::/pki/a.key". The part before the first colon names the work queue. */
  readonly name: string;
  readonly paths: readonly string[];
  /** The kind of content in messages. */
  readonly content: 'CA' | 'cert and key';
  /** Throws for unusable contents, alone or in combination. */
  readonly verify: (contents: readonly string[]) => void;
  readonly process: FollowingProcess;
}

/** Upstream: loadCABundle of DynamicFileCAContent, loadCertKeyPair of DynamicCertKeyPairContent */
const LOADED = { CA: 'Loaded a new CA Bundle and Verifier', 'cert and key': 'Loaded a new cert/key pair' };

/**
 * Related files that may be replaced while the server runs. `contents` is the last usable version.
 * Upstream: DynamicFileCAContent and DynamicCertKeyPairContent of k8s.io/apiserver/pkg/server/dynamiccertificates
 */
export class DynamicFiles {
  readonly #options: DynamicFilesOptions;
  readonly #listeners = new Set<() => void>();
  /** Listeners that have not yet taken the contents. */
  readonly #waiting = new Set<() => void>();
  #contents: readonly string[] | undefined;

  /** Reads the files. Throws when one cannot be read, or when `verify` throws. */
  constructor(options: DynamicFilesOptions) {
    this.#options = options;
    this.#load();
  }

  /** As in the log. */
  get name(): string {
    return this.#options.name;
  }

  /** The texts of the files, in the order of their paths. */
  get contents(): readonly string[] {
    return this.#contents ?? [];
  }

  /** Calls `listener` whenever there are new contents. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Follows the files until `signal` aborts: at once if the system reports changes, else within a minute. Unusable
   * files are logged, and read again with growing pauses, as is a listener that throws called again.
   */
  follow(signal: AbortSignal): void {
    const { name, paths, process, content } = this.#options;
    const { logger } = process;
    if (signal.aborted) return;
    const queue = this.#runQueue(signal);
    logger.info('Starting controller', { name });
    signal.addEventListener('abort', () => logger.info('Shutting down controller', { name }), { once: true });
    const failed = (error: unknown) => logger.error(error, `Failed to watch ${content} file, will retry later`);
    watchFiles({ paths, changed: () => queue.add(WORK_ITEM), signal, failed });
    queue.add(WORK_ITEM);
  }

  #runQueue(signal: AbortSignal): WorkQueue {
    const { name, process } = this.#options;
    const [purpose] = name.split('::', 1);
    return runCertificateQueue(`DynamicCABundle-${purpose}`, process, signal, () => {
      this.#load();
      for (const listener of this.#waiting) {
        listener();
        this.#waiting.delete(listener);
      }
    });
  }

  #load(): void {
    const { paths, verify, process, content, name } = this.#options;
    // The first time, the files may be pipes.
    const flag = this.#contents === undefined ? 'r' : READ_WITHOUT_WAITING;
    const contents = paths.map((path) => readText(path, flag));
    if (this.#contents?.every((text, index) => text === contents[index])) return;
    verify(contents);
    this.#contents = contents;
    process.logger.v(2)?.info(LOADED[content], { name });
    for (const listener of this.#listeners) this.#waiting.add(listener);
  }
}

/** Runs `sync` once for each addition of `WORK_ITEM`, and again with growing pauses while it throws. */
export function runCertificateQueue(
  name: string,
  { clock, logger, metrics }: FollowingProcess,
  signal: AbortSignal,
  sync: () => void,
): WorkQueue {
  return runWorkQueue({
    name,
    sync: async () => sync(),
    failed: (key, error) => logger.error(new Error(`${key} failed with : ${messageOf(error)}`), 'Unhandled Error'),
    metrics: createWorkQueueMetrics(metrics, clock)(name),
    clock,
    logger,
    signal,
  });
}

/** Its message is Go's. */
class UnreadableFile extends Error {}

function readText(path: string, flag: string | number): string {
  try {
    return readFileSync(path, { encoding: 'utf8', flag });
  } catch (error) {
    throw new UnreadableFile(goFileError('open', path, errorOf(error)), { cause: error });
  }
}
