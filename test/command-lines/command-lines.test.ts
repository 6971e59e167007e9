import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { binary, deadline, repositoryRoot, runBinary, temporaryDirectory } from '../harness/api-server.ts';
import { freePort } from '../harness/free-port.ts';
import { certificate, key } from '../harness/kubelet-certificate.ts';
import { commandLines } from './command-lines.ts';
import { prepared } from './prepared-files.ts';

const START_DEADLINE_MS = 60_000;

/** Keys for tokens in a folder. */
function tokenKeys(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|\/)sa\./.test(path))
    .sort();
}

/** A process whose output is collected. Ends with the scope. */
class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  stdout = '';
  output = '';

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#closed = once(this.#child, 'close');
    this.#child.stdout?.on('data', (text: string) => {
      this.stdout += text;
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
  }

  /** The first match on stdout. */
  async printed(pattern: RegExp): Promise<string> {
    const wait = async (): Promise<string> => {
      for (;;) {
        const found = pattern.exec(this.stdout)?.[0];
        if (found !== undefined) return found;
        if (this.#child.exitCode !== null) throw new Error(`the program ended:\n${this.output}`);
        await sleep(20);
      }
    };
    return await deadline(wait(), START_DEADLINE_MS, () => `${pattern} was not printed:\n${this.output}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#closed;
  }
}

function get(url: string, path: string, credentials: { cert?: string; key?: string }): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sent = request(`${url}${path}`, { ...credentials, rejectUnauthorized: false, agent: false }, (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  sent.on('error', reject);
  sent.end();
  return promise;
}

describe.each(commandLines)('the command line of $name', ({ flags }) => {
  it('starts the server', async () => {
    using folder = temporaryDirectory('command-line');
    const etcdUrl = `http://127.0.0.1:${await freePort()}`;
    const etcd = join(repositoryRoot, 'packages/etcd-launcher/bin/etcd.js');
    await using _ = new Program([
      etcd,
      `--data-dir=${folder.path}/etcd`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
    ]);
    const args = prepared(flags, { folder: join(folder.path, 'kubernetes'), etcdUrl });
    const broughtKeys = tokenKeys(folder.path);
    const place = [
      `--data-dir=${folder.path}/data`,
      ...(args.some((arg) => arg.startsWith('--bind-address')) ? [] : ['--bind-address=127.0.0.1']),
    ];
    await using server = new Program([binary, ...args, ...place]);
    const url = await server.printed(/https:\/\/127\.0\.0\.1:\d+/);
    const strangers = flags.includes('--anonymous-auth=false') ? 401 : 403;
    expect([
      await get(url, '/readyz', { cert: certificate, key }),
      await get(url, '/api/v1/secrets', { cert: certificate, key }),
      await get(url, '/api/v1/secrets', {}),
    ]).toEqual([200, 403, strangers]);
    expect(server.output).not.toMatch(/has been deprecated/);
    expect(tokenKeys(folder.path)).toEqual(broughtKeys);
  });
});

describe('a removed or deprecated flag', () => {
  it.each([
    ['--insecure-port=0', 'unknown flag: --insecure-port'],
    ['--cloud-provider=external', 'unknown flag: --cloud-provider'],
    ['--kubelet-https=true', 'unknown flag: --kubelet-https'],
    ['--logtostderr', 'unknown flag: --logtostderr'],
    ['--add-dir-header', 'unknown flag: --add-dir-header'],
    ['--enable-swagger-ui', 'unknown flag: --enable-swagger-ui'],
    ['--basic-auth-file=x', 'unknown flag: --basic-auth-file'],
    ['--target-ram-mb=1', 'unknown flag: --target-ram-mb'],
    ['--experimental-encryption-provider-config=x', 'unknown flag: --experimental-encryption-provider-config'],
  ])('%s is refused', async (flag, message) => {
    expect(await runBinary([flag])).toMatchObject({ code: 1, stdout: '', stderr: `Error: ${message}\n` });
  });

  it('is announced', async () => {
    const { stderr } = await runBinary([
      '--apiserver-count=1',
      '--kubelet-port=10250',
      '--enable-logs-handler',
      '--version',
    ]);
    expect(stderr).toBe(
      'Flag --apiserver-count has been deprecated, apiserver-count is deprecated and will be removed in a future version.\n' +
        'Flag --kubelet-port has been deprecated, kubelet-port is deprecated and will be removed.\n' +
        'Flag --enable-logs-handler has been deprecated, Log handler functionality is deprecated\n',
    );
  });
});
