import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';

/** The files of a guide as a project of its reader: an ES module with the built packages. Its programs end with it. */
export class GuideProject implements AsyncDisposable {
  readonly #folder = temporaryDirectory('guide-project');
  readonly #programs: GuideProgram[] = [];

  /** `name` is a folder of `test/guides`. */
  constructor(name: string) {
    const { path } = this.#folder;
    cpSync(join(import.meta.dirname, name), path, { recursive: true });
    writeFileSync(join(path, 'package.json'), '{"type":"module"}');
    symlinkSync(join(repositoryRoot, 'node_modules'), join(path, 'node_modules'), 'junction');
  }

  /** Runs `node NAME.ts` in a folder of its own. */
  run(name: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): GuideProgram {
    const program = new GuideProgram(join(this.#folder.path, `${name}.ts`), args, env);
    this.#programs.push(program);
    return program;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#programs.map((program) => program[Symbol.asyncDispose]()));
    this.#folder[Symbol.dispose]();
  }
}

/** A running program of a guide. */
export class GuideProgram implements AsyncDisposable {
  /** Its working folder. */
  readonly folder: string;
  readonly #temporary = temporaryDirectory('guide');
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #printed = '';

  constructor(path: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.folder = this.#temporary.path;
    const options = { cwd: this.folder, env: { ...process.env, ...env } };
    this.#child = spawn(process.execPath, [path, ...args], options);
    this.#closed = once(this.#child, 'close');
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      output?.setEncoding('utf8').on('data', (text: string) => {
        this.#printed += text;
      });
    }
  }

  /** Resolves with what the program prints, once it contains the pattern. Rejects if it ends before. */
  async prints(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#printed)?.[0];
      if (found !== undefined) return found;
      if (this.#child.exitCode !== null) throw new Error(`the program has ended:\n${this.#printed}`);
      const { stdout, stderr } = this.#child;
      await Promise.race([this.#closed, ...[stdout, stderr].map((output) => output && once(output, 'data'))]);
    }
  }

  /** Sends a signal, and resolves with the exit code. */
  async stop(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    await this.#closed;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.stop('SIGKILL');
    this.#temporary[Symbol.dispose]();
  }
}
