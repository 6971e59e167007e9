import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { deadline, repositoryRoot } from '../harness/api-server.ts';

const FETCH_DEADLINE_MS = 120_000;
const RUN_DEADLINE_MS = 60_000;
/** The release of Java that the clients are compiled for. */
const OLDEST_JAVA = 17;

/** A folder of test/clients with programs in Java, and a pom.xml that names their libraries. */
export class JavaProject {
  readonly #folder: string;
  /** Paths of the libraries in Maven's own cache, so that Maven runs only when pom.xml changes. */
  readonly #classpathFile: string;

  constructor(name: string) {
    this.#folder = join(repositoryRoot, 'test/clients', name);
    this.#classpathFile = join(repositoryRoot, `node_modules/.cache/${name}-classpath`);
  }

  /** Undefined when the programs can be run, else why the tests that need them are skipped. Fetches the libraries. */
  missing(): string | undefined {
    const java = spawnSync('javac', ['-version'], { encoding: 'utf8' });
    if (java.status !== 0) return 'there is no Java compiler on this machine';
    if (Number(/javac (\d+)/.exec(java.stdout)?.[1]) < OLDEST_JAVA) return `its Java is older than ${OLDEST_JAVA}`;
    if (this.#isClasspathFresh()) return undefined;
    if (spawnSync('mvn', ['-version']).status !== 0) return 'there is no Maven on this machine';
    mkdirSync(dirname(this.#classpathFile), { recursive: true });
    const goal = ['dependency:build-classpath', `-Dmdep.outputFile=${this.#classpathFile}`];
    const options = { cwd: this.#folder, encoding: 'utf8', timeout: FETCH_DEADLINE_MS } as const;
    const { status, stdout } = spawnSync('mvn', ['-q', '-B', ...goal], options);
    if (status === 0) return undefined;
    const reason = /\[ERROR\] (.*)/.exec(stdout ?? '')?.[1] ?? `Maven ended with ${status}`;
    return `the libraries cannot be fetched: ${reason.slice(0, 200)}`;
  }

  /**
   * Runs a program from its source, once `missing` has returned undefined. Returns the lines that it prints; throws with
   * its errors when it fails.
   */
  async run(program: string, ...args: readonly string[]): Promise<readonly string[]> {
    const child = spawn('java', ['-cp', this.classpath(), join(this.#folder, program), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    try {
      const ended = once(child, 'close');
      const [code] = await deadline(ended, RUN_DEADLINE_MS, () => `Java does not end:\n${stdout}${stderr}`);
      if (code !== 0) throw new Error(`Java ended with ${code}:\n${stderr}`);
      return stdout.trim().split('\n');
    } finally {
      child.kill('SIGKILL');
    }
  }

  /** The libraries, once `missing` has returned undefined. */
  classpath(): string {
    return readFileSync(this.#classpathFile, 'utf8').trim();
  }

  #isClasspathFresh(): boolean {
    const written = statSync(this.#classpathFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (written <= statSync(join(this.#folder, 'pom.xml')).mtimeMs) return false;
    return this.classpath()
      .split(delimiter)
      .every((path) => existsSync(path));
  }
}
