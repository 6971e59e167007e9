import { Worker, type WorkerOptions } from 'node:worker_threads';
import { type YamlText, yamlToJsonText } from '@apiserver/apimachinery/codec/yaml';
import { codeOf, DecodeError } from '@apiserver/apimachinery/errors';
import { fileBeside } from '@apiserver/component-base/process';
import type { YamlJob, YamlJobResult } from './yaml-job.js';

/** Threads that work at the same time. Further bodies wait. */
const MAX_WORKERS = 2;

/** Milliseconds after which an idle thread ends. */
const IDLE_MS = 10_000;

/** Memory limit of a thread, in MiB. A body within the bound on values needs less, and so does the deepest nesting. */
const LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** The module that a thread runs. */
export interface YamlWorkerFile {
  readonly file: string;
  readonly options?: WorkerOptions;
}

interface Waiting extends PromiseWithResolvers<YamlText | undefined> {
  readonly bytes: Uint8Array;
  readonly maxValues: number;
}

interface Thread {
  readonly worker: Worker;
  /** True once it has loaded. */
  isOnline: boolean;
  job: Waiting | undefined;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Parses large YAML in threads, because the parser cannot be paused and would block the event loop for tenths of a
 * second. Threads start on demand and end when they are idle. If no thread can be started, it parses in this thread.
 */
export class YamlWorkers implements AsyncDisposable {
  readonly #workerFile: YamlWorkerFile | undefined;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Waiting[] = [];
  /** False once a thread could not be started: then none is tried again. */
  #canStart = true;

  /** `workerFile` is for tests. Default: the file that lies beside this one. */
  constructor(workerFile?: YamlWorkerFile) {
    this.#workerFile = workerFile;
  }

  /**
   * See ParseLargeYaml. A body that exceeds a thread's memory has too many values. If a thread ends for another reason,
   * only its current request fails.
   */
  parse(bytes: Uint8Array, maxValues: number, signal: AbortSignal): Promise<YamlText | undefined> {
    const waiting: Waiting = { ...Promise.withResolvers<YamlText | undefined>(), bytes, maxValues };
    if (signal.aborted) waiting.reject(signal.reason);
    else {
      const giveUp = () => this.#giveUp(waiting, signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      const done = () => signal.removeEventListener('abort', giveUp);
      waiting.promise.then(done, done);
      this.#waiting.push(waiting);
      this.#startNext();
    }
    return waiting.promise;
  }

  /** Ends the threads and their jobs. A later request starts new threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = [...this.#threads].map((thread) => this.#end(thread, new Error('the server shuts down')));
    await Promise.all(ended);
  }

  #startNext(): void {
    const next = this.#waiting[0];
    if (next === undefined) return;
    const thread = [...this.#threads].find(({ job }) => job === undefined) ?? this.#newThread();
    if (thread === undefined && this.#canStart) return;
    this.#waiting.shift();
    if (thread === undefined) parseHere(next);
    else assign(thread, next);
  }

  /** Undefined at the maximum number of threads, or if none can be started. */
  #newThread(): Thread | undefined {
    if (!this.#canStart || this.#threads.size >= MAX_WORKERS) return undefined;
    const worker = startWorker(this.#workerFile ?? fileBesideThis());
    if (worker === undefined) {
      this.#canStart = false;
      return undefined;
    }
    const thread: Thread = { worker, isOnline: false, job: undefined, idle: undefined };
    this.#threads.add(thread);
    worker.on('message', (result: YamlJobResult | 'online') => this.#receive(thread, result));
    worker.on('error', (error) => this.#fail(thread, error));
    worker.on('exit', () => this.#fail(thread, new Error('the thread that parses YAML has ended')));
    return thread;
  }

  #receive(thread: Thread, result: YamlJobResult | 'online'): void {
    const { job, worker } = thread;
    if (result === 'online') {
      thread.isOnline = true;
      if (job !== undefined) send(worker, job);
      return;
    }
    thread.job = undefined;
    if ('text' in result) job?.resolve(result.text);
    else job?.reject(new DecodeError(result.fault.reason, result.fault.message));
    worker.unref();
    thread.idle = setTimeout(() => void this.#end(thread), IDLE_MS).unref();
    this.#startNext();
  }

  /** Handles the end of a thread. If it ended before it was online, no thread can be started. */
  #fail(thread: Thread, error: unknown): void {
    if (!this.#threads.has(thread)) return;
    const { job, isOnline } = thread;
    if (!isOnline) this.#canStart = false;
    if (job !== undefined && !isOnline) parseHere(job);
    // A document within the bound on values fits.
    if (isOutOfMemory(error)) job?.resolve(undefined);
    void this.#end(thread, error);
    this.#startNext();
  }

  /** Ends the wait and the job. */
  #giveUp(waiting: Waiting, reason: unknown): void {
    waiting.reject(reason);
    const at = this.#waiting.indexOf(waiting);
    if (at !== -1) this.#waiting.splice(at, 1);
    for (const thread of this.#threads) if (thread.job === waiting) void this.#end(thread);
    this.#startNext();
  }

  /** Ends a thread, which then receives no more jobs. */
  async #end(thread: Thread, reason?: unknown): Promise<void> {
    this.#threads.delete(thread);
    clearTimeout(thread.idle);
    thread.job?.reject(reason);
    await thread.worker.terminate();
  }
}

function assign(thread: Thread, job: Waiting): void {
  thread.job = job;
  clearTimeout(thread.idle);
  thread.worker.ref();
  // An error can overtake a message. Therefore a thread gets no job before it is online.
  if (thread.isOnline) send(thread.worker, job);
}

function send(worker: Worker, { bytes, maxValues }: Waiting): void {
  // A copy: the request keeps the bytes for its error messages.
  const yaml = new Uint8Array(bytes);
  const message: YamlJob = { yaml, maxValues };
  worker.postMessage(message, [yaml.buffer]);
}

function parseHere({ bytes, maxValues, resolve, reject }: Waiting): void {
  try {
    resolve(yamlToJsonText(bytes, maxValues));
  } catch (error) {
    reject(error);
  }
}

/** Undefined if the file is missing, or threads are not allowed. */
function startWorker(found: YamlWorkerFile | undefined): Worker | undefined {
  if (found === undefined) return undefined;
  try {
    return new Worker(found.file, { name: 'yaml', env: {}, execArgv: [], resourceLimits: LIMITS, ...found.options });
  } catch {
    return undefined;
  }
}

/** The file in a package and in the bundle. Tests run the sources and name the file. */
function fileBesideThis(): YamlWorkerFile | undefined {
  const file = fileBeside(import.meta.url, ['yaml-worker.js', 'yaml-worker.cjs']);
  return file === undefined ? undefined : { file };
}

function isOutOfMemory(error: unknown): boolean {
  return codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
}
