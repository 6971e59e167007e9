import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
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

const head = '(function (exports, require, module, __filename, __dirname) {';
const tail = '\n})';

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
  #keepsObjectsYoung = false;

  /** `directory` is absolute and ends with a slash. */
  constructor(directory: string) {
    this.#directory = directory;
    const outside = createRequire(`${directory}chunk.cjs`);
    const require = (id: string) => (id.startsWith('./') ? this.load(id.slice(2)) : outside(id));
    this.#require = Object.assign(require, outside);
  }

  /** The exports of the chunk in this file, which runs if it has not run yet. */
  load(name: string): unknown {
    const known = this.#modules.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.#modules.set(name, module);
    const run: (...scope: ModuleScope) => void = this.#compile(name).runInThisContext();
    run(module.exports, this.#require, module, this.#directory + name, this.#directory);
    return module.exports;
  }

  /** False if there is no bytecode, or not for this version of V8 and its flags. The chunk does not run by that. */
  hasBytecode(name: string): boolean {
    return this.#compile(name).cachedDataRejected === false;
  }

  /**
   * V8 makes no further objects in the old generation because many of their literal or constructor have stayed. Most objects
   * of a start stay. A part of a request that is made there keeps the whole request until a full collection.
   */
  keepObjectsYoung(): void {
    this.#keepsObjectsYoung = true;
    setPretenuring(false);
  }

  #compile(name: string): Script {
    const compiled = this.scripts.get(name);
    if (compiled !== undefined) return compiled;
    const filename = this.#directory + name;
    const { source, bytecode } = readChunk(filename);
    // V8 takes bytecode only with the flags that it was made with.
    if (this.#keepsObjectsYoung) setPretenuring(true);
    const script = new Script(source, { filename, columnOffset: -head.length, cachedData: bytecode });
    if (this.#keepsObjectsYoung) setPretenuring(false);
    this.scripts.set(name, script);
    return script;
  }
}

/** V8 looks at this flag when it optimizes a function, and after a collection. */
function setPretenuring(isOn: boolean): void {
  setFlagsFromString(isOn ? '--allocation-site-pretenuring' : '--no-allocation-site-pretenuring');
}

/**
 * The chunk as a function, and its bytecode. The text is all ASCII, so nothing has to be decoded; put together as strings it
 * would be copied. One buffer serves both files, because V8 counts each until it collects it.
 */
function readChunk(filename: string): { readonly source: string; readonly bytecode: Buffer | undefined } {
  const [code, cached] = [openSync(filename, 'r'), openIfPresent(bytecodeFile(filename))];
  try {
    const { size } = fstatSync(code);
    const cachedSize = cached === undefined ? 0 : fstatSync(cached).size;
    const end = head.length + size;
    const bytes = Buffer.allocUnsafeSlow(Math.max(end + tail.length, cachedSize));
    bytes.write(head, 'latin1');
    readSync(code, bytes, head.length, size, 0);
    bytes.write(tail, end, 'latin1');
    const source = bytes.toString('latin1', 0, end + tail.length);
    if (cached === undefined) return { source, bytecode: undefined };
    readSync(cached, bytes, 0, cachedSize, 0);
    return { source, bytecode: bytes.subarray(0, cachedSize) };
  } finally {
    closeSync(code);
    if (cached !== undefined) closeSync(cached);
  }
}

function openIfPresent(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}

/** Where the bytecode of a chunk lies. V8 itself looks whether it is of its version; the processor it does not look at. */
export function bytecodeFile(chunk: string): string {
  return `${chunk}.${process.arch}.bytecode`;
}
