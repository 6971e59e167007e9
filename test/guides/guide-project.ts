import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';

/** Below node_modules, so that a program finds the built packages as those of a user's project. */
const CACHE = join(repositoryRoot, 'node_modules/.cache');

/** The compiled files of a guide, as a project of its reader. Its programs end with it. */
export class GuideProject implements AsyncDisposable {
  readonly #folder: string;
  readonly #programs: GuideProgram[] = [];

  /** `name` is a folder of `test/guides`. */
  constructor(name: string) {
    mkdirSync(CACHE, { recursive: true });
    this.#folder = mkdtempSync(join(CACHE, 'guide-'));
    writeFileSync(join(this.#folder, 'package.json'), '{"type":"module"}');
    const sources = join(import.meta.dirname, name);
    for (const file of readdirSync(sources)) {
      const compiled = stripTypeScriptTypes(readFileSync(join(sources, file), 'utf8'));
      writeFileSync(join(this.#folder, file.replace(/\.ts$/, '.js')), compiled);
    }
  }

  /** Runs `node NAME.js` in a folder of its own. */
  run(name: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): GuideProgram {
    const program = new GuideProgram(join(this.#folder, `${name}.js`), args, env);
    this.#programs.push(program);
    return program;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#programs.map((program) => program[Symbol.asyncDispose]()));
    rmSync(this.#folder, { recursive: true, force: true });
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
