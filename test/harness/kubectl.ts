import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { deadline } from './api-server.ts';

/** Undefined when a kubectl can be run, else why the tests that need one are skipped. */
export function kubectlMissing(): string | undefined {
  const probe = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
  return probe.status === 0 ? undefined : 'there is no kubectl on this machine';
}

/** One kubectl program. */
export interface KubectlProgram {
  /** `1.33` */
  readonly minor: string;
  readonly path: string;
}

/**
 * One kubectl of each minor version that is on this machine, oldest first: programs named `kubectl`, `kubectl.1.33` or
 * `kubectl-1.33` in the folders of PATH, and beside what a link there points at. KUBECTL_PATH names more folders.
 */
export function kubectlVersions(): readonly KubectlProgram[] {
  const { PATH = '', KUBECTL_PATH = '' } = process.env;
  const found = new Map<string, string>();
  for (const path of `${KUBECTL_PATH}${delimiter}${PATH}`.split(delimiter).flatMap(programsIn)) {
    const minor = minorOf(path);
    if (minor !== undefined && !found.has(minor)) found.set(minor, path);
  }
  const number = (minor: string) => Number(minor.split('.')[1]);
  return [...found]
    .map(([minor, path]) => ({ minor, path }))
    .sort((one, other) => number(one.minor) - number(other.minor));
}

const programName = /^kubectl([.-]v?1\.\d+(\.\d+)?)?$/;

function programsIn(folder: string): readonly string[] {
  const programs = (place: string) => {
    try {
      return readdirSync(place)
        .filter((name) => programName.test(name))
        .map((name) => realpathSync(join(place, name)));
    } catch {
      return [];
    }
  };
  const here = folder === '' ? [] : programs(folder);
  return [...here, ...here.map(dirname).flatMap(programs)];
}

function minorOf(path: string): string | undefined {
  const { status, stdout } = spawnSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  return /"gitVersion": "v(1\.\d+)/.exec(stdout)?.[1];
}

export interface KubectlResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlOptions {
  /** Default: the one that PATH finds. */
  readonly program?: string;
  /** Its namespace unless a command names one. Default: that of its kubeconfig. */
  readonly namespace?: string;
}

/** The real kubectl against one server, with a home and a discovery cache of its own. */
export class Kubectl implements Disposable {
  readonly #kubeconfig: string;
  readonly #program: string;
  readonly #place: readonly string[];
  readonly #home = mkdtempSync(join(tmpdir(), 'kubectl-'));

  constructor(kubeconfig: string, { program = 'kubectl', namespace }: KubectlOptions = {}) {
    this.#kubeconfig = kubeconfig;
    this.#program = program;
    this.#place = namespace === undefined ? [] : ['--namespace', namespace];
  }

  /** Runs to its end and returns its output, with any exit code. */
  async run(args: readonly string[], input = '', environment: Record<string, string> = {}): Promise<KubectlResult> {
    const child = this.#spawn(args, environment);
    // A kubectl that needs no input may have ended before.
    child.stdin?.on('error', () => {}).end(input);
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    return { code, stdout, stderr };
  }

  /** Runs to its end and returns stdout; throws when the exit code is not 0. */
  async ok(args: readonly string[], input = '', environment: Record<string, string> = {}): Promise<string> {
    const result = await this.run(args, input, environment);
    if (result.code !== 0) {
      throw new Error(`kubectl ${args.join(' ')} ended with ${result.code}:\n${result.stdout}${result.stderr}`);
    }
    return result.stdout;
  }

  /** Applies an object; returns both outputs, with any exit code. */
  async applied(object: object): Promise<string> {
    const { stdout, stderr } = await this.run(['apply', '-f', '-'], JSON.stringify(object));
    return (stdout + stderr).trim();
  }

  /**
   * Waits until a definition is established. Its conditions are null after a create, and kubectl ends with an error if
   * it sees that.
   */
  async established(definition: string): Promise<void> {
    const args = ['wait', '--for=condition=Established', `crd/${definition}`, '--timeout=30s'];
    const isEarly = ({ stderr }: { readonly stderr: string }) => stderr.includes('.status.conditions accessor error');
    for (let tries = 0; tries < 20 && isEarly(await this.run(args)); tries++);
    await this.ok(args);
  }

  /** Starts one that does not end by itself (a watch); its lines are read as they come. */
  follow(args: readonly string[], environment: Record<string, string> = {}): Follower {
    return new Follower(this.#spawn(args, environment));
  }

  [Symbol.dispose](): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  #spawn(args: readonly string[], environment: Record<string, string>): ChildProcess {
    const always = ['--kubeconfig', this.#kubeconfig, '--cache-dir', join(this.#home, 'cache'), ...this.#place];
    return spawn(this.#program, [...always, ...args], {
      env: { PATH: process.env['PATH'], HOME: this.#home, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }
}

/** The lines of a running kubectl. */
export class Follower implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #text = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close');
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text;
    });
  }

  get lines(): readonly string[] {
    return this.#text.split('\n').slice(0, -1);
  }

  /** Resolves with all lines when there are `count`. */
  async waitForLines(count: number): Promise<readonly string[]> {
    const enough = async () => {
      while (this.lines.length < count) await once(this.#child.stdout ?? this.#child, 'data');
      return this.lines;
    };
    return deadline(enough(), 30_000, () => `only ${this.lines.length} of ${count} lines:\n${this.#text}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
