import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deadline, repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';

const isLinux = process.platform === 'linux';

/** A command of npm, as a shell would run it: at the head of a process group of its own. */
function runNpm(args: readonly string[], cwd: string, readyLine: string) {
  const { MALLOC_ARENA_MAX: _given, PATH = '', ...env } = process.env;
  const child = spawn('npm', args, {
    cwd,
    env: { ...env, PATH: `${dirname(process.execPath)}${delimiter}${PATH}` },
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
    ready: () => expect.poll(() => output, { timeout: 60_000, interval: 50 }).toContain(readyLine),
    interrupt: () => process.kill(-group, 'SIGINT'),
    [Symbol.dispose]: () => {
      try {
        process.kill(-group, 'SIGKILL');
      } catch {
        // Nobody of the group is left.
      }
    },
  };
}

type RunningNpm = ReturnType<typeof runNpm>;

function npmStart(dataDirectory: string, dashes: readonly string[] = ['--']): RunningNpm {
  const flags = [`--data-dir=${dataDirectory}`, '--secure-port=0'];
  return runNpm(['start', ...dashes, ...flags], repositoryRoot, 'kubectl --kubeconfig');
}

const ENDS: readonly [string, (started: RunningNpm) => void][] = [
  ['Ctrl-C, which signals the whole group', (started) => started.interrupt()],
  ['SIGTERM to npm', ({ child }) => child.kill('SIGTERM')],
];

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
  it.each(ENDS)('runs the server with one heap of malloc, and ends in order by %s', async (_, end) => {
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

/** A project that has the binaries of this repository in its node_modules. */
function project(folder: string): void {
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(repositoryRoot, 'packages/kube-apiserver/bin/kube-apiserver.js'), join(bin, 'kube-apiserver'));
  symlinkSync(join(repositoryRoot, 'packages/etcd-launcher/bin/etcd.js'), join(bin, 'etcd-launcher'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { server: 'kube-apiserver' } }));
}

const SERVER = ['--data-dir=data', '--secure-port=0'];
const ETCD = [
  '--data-dir=data',
  '--listen-client-urls=http://127.0.0.1:0',
  '--advertise-client-urls=http://127.0.0.1:0',
];

describe.skipIf(!isLinux)(`npx${isLinux ? '' : ' (skipped: looks into /proc)'}`, { timeout: 120_000 }, () => {
  const commands: readonly (readonly [string, readonly string[], string])[] = [
    ['npx kube-apiserver', ['exec', '--', 'kube-apiserver', ...SERVER], 'kubectl --kubeconfig'],
    ['npm run server', ['run', 'server', '--', ...SERVER], 'kubectl --kubeconfig'],
    ['npx etcd-launcher', ['exec', '--', 'etcd-launcher', ...ETCD], 'serving clients'],
  ];
  const cases = commands.flatMap(([name, args, line]) => ENDS.map(([end, act]) => ({ name, args, line, end, act })));
  it.each(cases)('$name ends its program in order by $end', async ({ args, line, act }) => {
    using folder = temporaryDirectory('npx');
    project(folder.path);
    using started = runNpm(args, folder.path, line);
    await started.ready();
    const program = lastDescendant(started.child);
    act(started);
    const { output } = await deadline(started.ended, 30_000, () => 'npm does not end');
    await expect.poll(() => hasEnded(program)).toBe(true);
    expect(output).not.toContain('bug');
  });
});
