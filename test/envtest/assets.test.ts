import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';
import { freePort } from '../harness/free-port.ts';

const assets = join(repositoryRoot, 'assets');
const isWindows = process.platform === 'win32';

/** One of the executables, by its own process: no shell and no npm in between. */
function run(name: string, args: readonly string[], cwd: string) {
  const child: ChildProcess = spawn(join(assets, name), args, { cwd, stdio: 'ignore' });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGTERM');
    return (await ended)[0];
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { stop, kill, [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

describe.skipIf(isWindows)(`assets/${isWindows ? ' (skipped: no .exe files are made)' : ''}`, () => {
  it('run from anywhere: linked, copied, by a link to their folder, from a folder with spaces', () => {
    using folder = temporaryDirectory('an asset');
    symlinkSync(join(assets, 'etcd'), join(folder.path, 'etcd'));
    copyFileSync(join(assets, 'kube-apiserver'), join(folder.path, 'copy'));
    symlinkSync(assets, join(folder.path, 'bin'));
    const version = (name: string) =>
      execFileSync(join(folder.path, name), ['--version'], { cwd: folder.path, encoding: 'utf8' });
    expect(version('etcd')).toMatch(/^etcd Version: 3\.6\.\d+\n/);
    expect(version('bin/etcd')).toMatch(/^etcd Version: 3\.6\.\d+\n/);
    expect(version('copy')).toMatch(/^Kubernetes v1\.36\./);
  });

  it('take further flags from the environment, before those of the caller', () => {
    using folder = temporaryDirectory('assets');
    const run = (variable: string, ...args: string[]) => {
      const env = { ...process.env, KUBE_APISERVER_FLAGS: variable };
      const { stdout, stderr } = spawnSync(join(assets, 'kube-apiserver'), args, {
        cwd: folder.path,
        env,
        encoding: 'utf8',
      });
      return `${stdout}${stderr}`;
    };
    // `*` is no pattern of the shell, although a file has a name that fits.
    writeFileSync(join(folder.path, '--controllers=none'), '');
    expect(run('--controllers=*,none --v=1', '--v=2')).toContain('is not in the list of known controllers');
    expect(run('--version=raw')).toContain('GitVersion');
    expect(run('--version=raw', '--version=true')).toMatch(/^Kubernetes v1\.36/);
    expect(run('--version=raw', 'check', '--help')).not.toContain('GitVersion');
  });

  it('kubectl is the first one of PATH, but no asset', () => {
    using folder = temporaryDirectory('an asset');
    const place = (name: string) => {
      const path = join(folder.path, name);
      mkdirSync(path);
      return path;
    };
    const [links, copies, real] = [place('links'), place('copies'), place('re*l')];
    symlinkSync(join(assets, 'kubectl'), join(links, 'kubectl'));
    copyFileSync(join(assets, 'kubectl'), join(copies, 'kubectl'));
    const kubectl = (...folders: string[]) => {
      const env = { ...process.env, PATH: [assets, links, '', copies, ...folders].join(':') };
      const { status, stdout, stderr } = spawnSync(join(links, 'kubectl'), ['get', 'a b', '*'], {
        env,
        encoding: 'utf8',
      });
      return [status, stdout, stderr];
    };
    writeFileSync(join(real, 'kubectl'), '#!/bin/sh\nprintf "%s," "$@"\nexit 3\n', { mode: 0o755 });
    expect(kubectl(real)).toEqual([3, 'get,a b,*,', '']);
    expect(kubectl()).toEqual([127, '', `${join(links, 'kubectl')}: there is no kubectl in PATH\n`]);
  });

  it('objects are kept in the folder of etcd, and nothing where the server was started', async () => {
    using folder = temporaryDirectory('assets');
    const dataDirectory = join(folder.path, 'etcd-data');
    const url = `http://127.0.0.1:${await freePort()}`;
    const flags = [`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`, `--data-dir=${dataDirectory}`];
    using etcd = run('etcd', flags, folder.path);
    await expect.poll(() => health(url)).toEqual({ health: 'true', reason: '' });

    const kubeconfig = join(dataDirectory, 'kube-apiserver/admin.kubeconfig');
    const path = '/api/v1/namespaces/default/configmaps';
    for (const [method, target, body, status] of [
      ['POST', path, { metadata: { name: 'kept' } }, 201],
      ['GET', `${path}/kept`, undefined, 200],
    ] as const) {
      using server = run('kube-apiserver', await serverFlags(url), folder.path);
      await expect.poll(() => responses(kubeconfig)).toBe(true);
      using client = new AdminClient(kubeconfig);
      expect((await client.request(method, target, body)).status).toBe(status);
      expect(await server.stop()).toBe(0);
    }
    expect(await etcd.stop()).toBe(0);
    expect([readdirSync(folder.path), existsSync(join(dataDirectory, 'db/data.mdb'))]).toEqual([['etcd-data'], true]);
  });

  it('begin again in the same folder and on the same ports after both were killed', async () => {
    using folder = temporaryDirectory('assets');
    const dataDirectory = join(folder.path, 'etcd-data');
    const url = `http://127.0.0.1:${await freePort()}`;
    const etcdFlags = [`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`, `--data-dir=${dataDirectory}`];
    const flags = await serverFlags(url);
    const path = '/api/v1/namespaces/default/configmaps';
    for (const [method, target, body, status] of [
      ['POST', path, { metadata: { name: 'kept' } }, 201],
      ['GET', `${path}/kept`, undefined, 200],
    ] as const) {
      using etcd = run('etcd', etcdFlags, folder.path);
      await expect.poll(() => health(url)).toEqual({ health: 'true', reason: '' });
      using server = run('kube-apiserver', flags, folder.path);
      const kubeconfig = join(dataDirectory, 'kube-apiserver/admin.kubeconfig');
      await expect.poll(() => responses(kubeconfig)).toBe(true);
      using client = new AdminClient(kubeconfig);
      expect((await client.request(method, target, body)).status).toBe(status);
      await Promise.all([etcd.kill(), server.kill()]);
    }
  });
});

/** The version that an etcd reports; undefined while it does not respond. */
async function health(url: string): Promise<unknown> {
  try {
    return await (await fetch(`${url}/health`)).json();
  } catch {
    return undefined;
  }
}

async function serverFlags(etcd: string): Promise<readonly string[]> {
  return [`--etcd-servers=${etcd}`, '--bind-address=127.0.0.1', `--secure-port=${await freePort()}`];
}

/** Reports whether a server responds at the address of the kubeconfig. Each server writes a new one. */
async function responses(kubeconfig: string): Promise<boolean> {
  if (!existsSync(kubeconfig)) return false;
  try {
    using client = new AdminClient(kubeconfig);
    return (await client.request('GET', '/readyz')).status === 200;
  } catch {
    return false;
  }
}
