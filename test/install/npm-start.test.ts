import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deadline, repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';

const isLinux = process.platform === 'linux';

/** `npm start`, as a shell would run it: at the head of a process group of its own. */
function npmStart(dataDirectory: string, dashes: readonly string[] = ['--']) {
  const flags = [`--data-dir=${dataDirectory}`, '--secure-port=0'];
  const { MALLOC_ARENA_MAX: _given, ...env } = process.env;
  const child = spawn('npm', ['start', ...dashes, ...flags], {
    cwd: repositoryRoot,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const group = child.pid ?? 0;
  const ended = once(child, 'close').then(([code]) => ({ code, output }));
  return {
    child,
    ended,
    ready: () => expect.poll(() => output, { timeout: 60_000, interval: 50 }).toContain('kubectl --kubeconfig'),
    interrupt: () => process.kill(-group, 'SIGINT'),
    [Symbol.dispose]: () => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-group, 'SIGKILL');
    },
  };
}

/** The process at the end of the chain of children: the server. */
function lastDescendant({ pid = 0 }: Pick<ChildProcess, 'pid'>): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const [child = ''] = children;
  return child === '' ? pid : lastDescendant({ pid: Number(child) });
}

/** A process that nothing has waited for counts as ended. */
function hasEnded(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return !existsSync(path) || /\) Z /.test(readFileSync(path, 'utf8'));
}

describe.skipIf(!isLinux)(`npm start${isLinux ? '' : ' (skipped: looks into /proc)'}`, { timeout: 120_000 }, () => {
  it.each<[string, (started: ReturnType<typeof npmStart>) => void]>([
    ['Ctrl-C, which signals the whole group', (started) => started.interrupt()],
    ['SIGTERM to npm', ({ child }) => child.kill('SIGTERM')],
  ])('runs the server with one heap of malloc, and ends in order by %s', async (_, end) => {
    using folder = temporaryDirectory('npm-start');
    using started = npmStart(join(folder.path, 'data'));
    await started.ready();
    const server = lastDescendant(started.child);
    expect(readFileSync(`/proc/${server}/environ`, 'utf8').split('\0')).toContain('MALLOC_ARENA_MAX=1');
    end(started);
    const { output } = await deadline(started.ended, 30_000, () => 'npm start does not end');
    await expect.poll(() => hasEnded(server)).toBe(true);
    expect(output).not.toContain('bug');
  });

  it('refuses flags that npm has taken, instead of a start without them', async () => {
    using folder = temporaryDirectory('npm-start');
    const data = join(folder.path, 'data');
    using started = npmStart(data, []);
    const { code, output } = await deadline(started.ended, 30_000, () => 'npm start does not end');
    expect([code, output]).toEqual([
      1,
      expect.stringContaining(`two dashes stand before them: npm start -- --data-dir=${data} --secure-port=0\n`),
    ]);
  });
});
