import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** The parameters with which Node calls a CommonJS module. */
type ModuleScope = [
  exports: unknown,
  require: NodeJS.Require,
  module: { readonly exports: unknown },
  filename: string,
  dirname: string,
];

interface Chunk {
  readonly source: string;
  readonly bytecode: Buffer | undefined;
}

const head = '(function (exports, require, module, __filename, __dirname) {';
const tail = '\n})';

/** A flag of V8 as a server starts with it, which is V8's own default, and as it has it from readiness on. */
interface ServingFlag {
  readonly atStart: string;
  readonly whenReady: string;
}

/**
 * The first version of V8 that is known to have all of these flags. An older one would report the missing ones on
 * stderr.
 */
const FIRST_WITH_ALL_FLAGS = [14, 6] as const;

/**
 * - Pretenuring: V8 makes further objects in the old generation if many of their literal or constructor have stayed.
 *   Most objects of a start stay. A part of a request that is made there keeps the whole request until a full
 *   collection.
 * - The growth in percent: after a full collection the heap may grow to three times its size. While requests come, V8
 *   itself leaves less room than two young generations need, and begins to mark again after one or two minor
 *   collections.
 * - The limit: after a quiet time, minor collections lower the limit of the heap to a few MiB above its size. The next
 *   long list then marks the whole heap, once or twice.
 * - The delay in ms: after that time without a full collection and with little work, V8 collects the heap to give
 *   memory back. No object of a request is alive then, so it drops their shapes and all code that is optimized for
 *   these.
 */
const SERVING_FLAGS: readonly ServingFlag[] = [
  { atStart: '--allocation-site-pretenuring', whenReady: '--no-allocation-site-pretenuring' },
  { atStart: '--heap-growing-percent=0', whenReady: '--heap-growing-percent=200' },
  ...(hasAllFlags()
    ? [
        { atStart: '--scavenger-updates-allocation-limit', whenReady: '--no-scavenger-updates-allocation-limit' },
        { atStart: '--memory-reducer-delay-ms=8000', whenReady: '--memory-reducer-delay-ms=300000' },
      ]
    : []),
];

function hasAllFlags(): boolean {
  const [major = 0, minor = 0] = process.versions.v8.split('.').map(Number);
  const [firstMajor, firstMinor] = FIRST_WITH_ALL_FLAGS;
  return major > firstMajor || (major === firstMajor && minor >= firstMinor);
}

/**
 * The chunks of a bundle, loaded with the bytecode that lies beside them. The build takes it from a server that has
 * served requests, so a start compiles next to nothing. Node's own compile cache is filled before a module runs, and
 * holds hardly any of its functions.
 */
export class Bundle {
  readonly #directory: string;
  readonly #modules = new Map<string, { exports: unknown }>();
  readonly #require: NodeJS.Require;
  /** The chunks loaded so far, by file name. The build takes the bytecode of their functions from here. */
  readonly scripts = new Map<string, Script>();
  readonly #spare = new SpareDescriptor();
  #isServing = false;

  /** `directory` is absolute and ends with a slash. */
  constructor(directory: string) {
    this.#directory = directory;
    const outside = createRequire(`${directory}chunk.cjs`);
    const require = (id: string) => (id.startsWith('./') ? this.load(id.slice(2)) : outside(id));
    this.#require = Object.assign(require, outside);
  }

  /**
   * The exports of the chunk in this file, which runs if it has not run yet. The next call tries a failed one again.
   */
  load(name: string): unknown {
    const known = this.#modules.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.#modules.set(name, module);
    try {
      const run: (...scope: ModuleScope) => void = this.#compile(name).runInThisContext();
      run(module.exports, this.#require, module, this.#directory + name, this.#directory);
    } catch (error) {
      this.#modules.delete(name);
      throw error;
    }
    return module.exports;
  }

  /** False if there is no bytecode, or not for this version of V8 and its flags. The chunk does not run by that. */
  hasBytecode(name: string): boolean {
    return this.#compile(name).cachedDataRejected === false;
  }

  /** Changes V8's flags to those of a server that is ready. */
  setServingFlags(): void {
    this.#isServing = true;
    setFlags('whenReady');
  }

  #compile(name: string): Script {
    const compiled = this.scripts.get(name);
    if (compiled !== undefined) return compiled;
    const filename = this.#directory + name;
    const { source, bytecode } = this.#spare.lend(() => this.#read(name));
    // V8 takes bytecode only with the flags that it was made with.
    if (this.#isServing) setFlags('atStart');
    const script = new Script(source, { filename, columnOffset: -head.length, cachedData: bytecode });
    if (this.#isServing) setFlags('whenReady');
    this.scripts.set(name, script);
    return script;
  }

  /** A build replaces the folder, and leaves the chunks of earlier ones beside it (`keep-chunks.mjs`). */
  #read(name: string): Chunk {
    try {
      return readChunk(this.#directory + name);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    try {
      return readChunk(`${this.#directory.slice(0, -1)}.before/${name}`);
    } catch (cause) {
      if (!isMissing(cause)) throw cause;
      throw new Error('the files of this program were replaced while it ran: restart it', { cause });
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** A process without free descriptors must still load the code that its next request needs: it keeps one back. */
class SpareDescriptor {
  #descriptor: number | undefined = openIfPresent(devNull)?.descriptor;

  /**
   * Calls a function that opens and closes files. Where it finds no free descriptor, it is called again with the spare
   * one.
   */
  lend<T>(read: () => T): T {
    // None was free before.
    this.#descriptor ??= openIfPresent(devNull)?.descriptor;
    try {
      return read();
    } catch (error) {
      if (!isOutOfDescriptors(error) || this.#descriptor === undefined) throw error;
      closeSync(this.#descriptor);
    }
    try {
      return read();
    } finally {
      this.#descriptor = openIfPresent(devNull)?.descriptor;
    }
  }
}

/** Of the process, or of the machine. */
function isOutOfDescriptors(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

/** V8 looks at these flags when it optimizes a function, and when it ends or plans a collection. */
function setFlags(state: keyof ServingFlag): void {
  for (const flag of SERVING_FLAGS) setFlagsFromString(flag[state]);
}

/**
 * The chunk as a function, and its bytecode. The text is all ASCII, so nothing has to be decoded; put together as
 * strings it would be copied. One buffer serves both files, because V8 counts each until it collects it.
 */
function readChunk(filename: string): Chunk {
  const [code, cached] = [open(filename), openIfPresent(bytecodeFile(filename))];
  try {
    const end = head.length + code.size;
    const bytes = Buffer.allocUnsafeSlow(Math.max(end + tail.length, cached?.size ?? 0));
    bytes.write(head, 'latin1');
    readSync(code.descriptor, bytes, head.length, code.size, 0);
    bytes.write(tail, end, 'latin1');
    const source = bytes.toString('latin1', 0, end + tail.length);
    if (cached === undefined) return { source, bytecode: undefined };
    readSync(cached.descriptor, bytes, 0, cached.size, 0);
    return { source, bytecode: bytes.subarray(0, cached.size) };
  } finally {
    closeSync(code.descriptor);
    if (cached !== undefined) closeSync(cached.descriptor);
  }
}

interface OpenFile {
  readonly descriptor: number;
  /** In bytes. */
  readonly size: number;
}

/** Throws if the file is absent. In an archive of Yarn, only its size tells that. */
function open(file: string): OpenFile {
  const descriptor = openSync(file, 'r');
  return { descriptor, size: fstatSync(descriptor).size };
}

function openIfPresent(file: string): OpenFile | undefined {
  try {
    return open(file);
  } catch {
    return undefined;
  }
}

/**
 * Where the bytecode of a chunk lies. V8 itself looks whether it is of its version; the processor it does not look at.
 */
export function bytecodeFile(chunk: string): string {
  return `${chunk}.${process.arch}.bytecode`;
}
