import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe } from 'vitest';
import { modulesMissing } from '../envtest/go-tests.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { compileUpstream, upstreamFolder } from './upstream-folder.ts';

/** A machine that has never compiled the modules takes a while. */
const compileDeadlineMs = 8 * 60_000;

/** Defines tests that ask upstream. They are skipped, with the reason, where its modules do not compile. */
export function describeUpstream(name: string, define: (upstream: () => UpstreamProgram) => void): void {
  const missing = modulesMissing(upstreamFolder);
  describe.skipIf(missing !== undefined)(`${name}${missing ? ` (skipped: ${missing})` : ''}`, () => {
    const resources = new AsyncDisposableStack();
    let upstream: UpstreamProgram;
    beforeAll(() => {
      upstream = resources.use(UpstreamProgram.start());
    }, compileDeadlineMs);
    afterAll(() => resources.disposeAsync());
    define(() => upstream);
  });
}

/** A process with upstream's modules that answers questions in their order. */
export class UpstreamProgram implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting: { resolve(answer: never): void; reject(reason: Error): void }[] = [];
  readonly #directory: Disposable;

  private constructor(child: ChildProcess, directory: Disposable) {
    this.#child = child;
    this.#directory = directory;
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      errors = (errors + text).slice(-4_000);
    });
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.#answer(line));
    child.on('close', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`upstream's program ended: ${errors}`));
    });
  }

  /** Compiles and starts the program. */
  static start(): UpstreamProgram {
    const directory = temporaryDirectory('upstream');
    return new UpstreamProgram(spawn(compileUpstream('program', directory.path), { stdio: 'pipe' }), directory);
  }

  /** Sends a question about an area, and returns the answer. */
  ask<T>(area: string, question: object): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin?.write(`${JSON.stringify({ area, ...question })}\n`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.#child.exitCode === null && this.#child.signalCode === null;
    const closed = running && once(this.#child, 'close');
    this.#child.stdin?.end();
    await closed;
    this.#directory[Symbol.dispose]();
  }

  #answer(line: string): void {
    this.#waiting.shift()?.resolve(JSON.parse(line) as never);
  }
}
