import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { deadline, repositoryRoot } from '../harness/api-server.ts';

const project = join(repositoryRoot, 'test/clients/fabric8');
const pom = join(project, 'pom.xml');
/** The libraries' paths in Maven's own cache, so that Maven runs only when the project's pom.xml changes. */
const classpathFile = join(repositoryRoot, 'node_modules/.cache/fabric8-classpath');

const fetchDeadlineMs = 120_000;
const runDeadlineMs = 60_000;
/** The release of Java that the client is compiled for. */
const oldestJava = 17;

/** Undefined when fabric8's client can be run, else why the tests that need it are skipped. Fetches the client. */
export function fabric8Missing(): string | undefined {
  const java = spawnSync('javac', ['-version'], { encoding: 'utf8' });
  if (java.status !== 0) return 'there is no Java compiler on this machine';
  if (Number(/javac (\d+)/.exec(java.stdout)?.[1]) < oldestJava) return `its Java is older than ${oldestJava}`;
  if (isClasspathFresh()) return undefined;
  if (spawnSync('mvn', ['-version']).status !== 0) return 'there is no Maven on this machine';
  mkdirSync(dirname(classpathFile), { recursive: true });
  const goal = ['dependency:build-classpath', `-Dmdep.outputFile=${classpathFile}`];
  const options = { cwd: project, encoding: 'utf8', timeout: fetchDeadlineMs } as const;
  const { status, stdout } = spawnSync('mvn', ['-q', '-B', ...goal], options);
  if (status === 0) return undefined;
  const reason = /\[ERROR\] (.*)/.exec(stdout ?? '')?.[1] ?? `Maven ended with ${status}`;
  return `the client cannot be fetched: ${reason.slice(0, 200)}`;
}

function isClasspathFresh(): boolean {
  const written = statSync(classpathFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return (
    written > statSync(pom).mtimeMs &&
    fabric8Classpath()
      .split(delimiter)
      .every((path) => existsSync(path))
  );
}

/** The libraries of fabric8, once `fabric8Missing` has returned undefined. */
export function fabric8Classpath(): string {
  return readFileSync(classpathFile, 'utf8').trim();
}

/** Runs UseServer.java with a kubeconfig and returns the lines that it prints. Throws with its errors when it fails. */
export async function useServerFromJava(kubeconfig: string): Promise<readonly string[]> {
  const args = ['-cp', fabric8Classpath(), join(project, 'UseServer.java'), kubeconfig];
  const child = spawn('java', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  try {
    const [code] = await deadline(once(child, 'close'), runDeadlineMs, () => `Java does not end:\n${stdout}${stderr}`);
    if (code !== 0) throw new Error(`Java ended with ${code}:\n${stderr}`);
    return stdout.trim().split('\n');
  } finally {
    child.kill('SIGKILL');
  }
}
