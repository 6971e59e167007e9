import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';

/** What Node calls a CommonJS module with. */
type ModuleScope = [
  exports: unknown,
  require: NodeJS.Require,
  module: { readonly exports: unknown },
  filename: string,
  dirname: string,
];

const wrapper = '(function (exports, require, module, __filename, __dirname) {';

/**
 * The chunks of a bundle, loaded with the bytecode that lies beside them. The build takes it from a server that has
 * answered requests, so a start compiles next to nothing. Node's own compile cache is filled before a module runs, and
 * holds hardly any of its functions.
 */
export class Bundle {
  readonly #directory: string;
  readonly #modules = new Map<string, { exports: unknown }>();
  readonly #require: NodeJS.Require;
  /** What is loaded by now, by file name. The bytecode of what has run can be taken from there. */
  readonly scripts = new Map<string, Script>();

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

  #compile(name: string): Script {
    const compiled = this.scripts.get(name);
    if (compiled !== undefined) return compiled;
    const filename = this.#directory + name;
    // It is all ASCII: nothing has to be decoded.
    const source = `${wrapper}${readFileSync(filename, 'latin1')}\n})`;
    const script = new Script(source, { filename, columnOffset: -wrapper.length, cachedData: bytecodeOf(filename) });
    this.scripts.set(name, script);
    return script;
  }
}

function bytecodeOf(chunk: string): Buffer | undefined {
  try {
    return readFileSync(bytecodeFile(chunk));
  } catch {
    return undefined;
  }
}

/** Where the bytecode of a chunk lies. V8 itself looks whether it is of its version; the processor it does not look at. */
export function bytecodeFile(chunk: string): string {
  return `${chunk}.${process.arch}.bytecode`;
}
