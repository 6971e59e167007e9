import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { AdminClient, readCredentials } from '../harness/admin-client.ts';
import { binary, deadline, runBinary, startApiServer, temporaryDirectory } from '../harness/api-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('the command line', () => {
  it('--help names the flags in sections', async () => {
    const { code, stdout, stderr } = await runBinary(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/^.* flags:$/gm)).toEqual(
      expect.arrayContaining(['Generic flags:', 'Secure serving flags:', 'Authentication flags:', 'Logs flags:']),
    );
    for (const flag of ['--data-dir', '--secure-port', '--bind-address', '--cert-dir', '--authorization-mode']) {
      expect(stdout).toMatch(new RegExp(`^ +${flag} `, 'm'));
    }
  });

  it.each([
    [['--version'], /^Kubernetes v1\.36\.\d+\+apiserver\.\d+\.\d+\.\d+\n$/],
    [['--version=true'], /^Kubernetes v1\.36\.\d+\+apiserver\.\d+\.\d+\.\d+\n$/],
    [['--version=raw'], /^version\.Info\{Major:"1", Minor:"36", .*GitVersion:"v1\.36\.\d+/],
  ])('%j', async (args, output) => {
    const { code, stdout, stderr } = await runBinary(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(output);
  });

  it('--log-flush-frequency bounds how long a start that waits for its store buffers its log', async () => {
    using folder = temporaryDirectory('flush');
    // Nobody listens there.
    const flags = [`--data-dir=${folder.path}/data`, '--secure-port=0', '--etcd-servers=http://127.0.0.1:9'];
    const child = spawn(process.execPath, [binary, ...flags, '--log-flush-frequency=100ms'], { stdio: 'pipe' });
    const [line] = await once(child.stderr.setEncoding('utf8'), 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(line).toMatch(/^I\d{4} .* kube-apiserver\] Version: v1\.36\./);
  });

  it('says that it waits for its etcd when that does not respond', async () => {
    using folder = temporaryDirectory('waiting');
    // It takes connections, and never responds.
    const etcd = createServer().listen(0, '127.0.0.1');
    await once(etcd, 'listening');
    const { port } = etcd.address() as AddressInfo;
    const flags = [`--data-dir=${folder.path}/data`, '--secure-port=0', `--etcd-servers=http://127.0.0.1:${port}`];
    const child = spawn(process.execPath, [binary, ...flags], { stdio: 'pipe' });
    const closed = once(child, 'close');
    let log = '';
    for await (const text of child.stderr.setEncoding('utf8')) {
      log += text;
      if (log.includes('Waiting for etcd')) break;
    }
    child.kill('SIGKILL');
    await closed;
    etcd.close();
    expect(log).toMatch(new RegExp(`^I.*Waiting for etcd, which has not responded yet.*http://127.0.0.1:${port}`, 'm'));
  }, 60_000);

  it('--version=v1.36.0-mine sets the reported version, also for clients', async () => {
    await using server = await startApiServer({ args: ['--version=v1.36.0-mine'] });
    expect(server.stdout).toContain('Kubernetes API v1.36.0-mine is ready');
    using admin = new AdminClient(server.kubeconfig);
    expect(await admin.json('GET', '/version')).toMatchObject({ major: '1', minor: '36', gitVersion: 'v1.36.0-mine' });
    expect((await server.stop()).stderr).toContain('Version: v1.36.0-mine\n');
  });

  it('reports commit and time of the build to clients', async () => {
    await using server = await startApiServer();
    using admin = new AdminClient(server.kubeconfig);
    const { gitCommit, gitTreeState, buildDate } = await admin.json('GET', '/version');
    const isArchive = gitTreeState === 'archive';
    expect(['clean', 'dirty', 'archive']).toContain(gitTreeState);
    expect(gitCommit).toMatch(isArchive ? /^$/ : /^[0-9a-f]{40}$/);
    expect(buildDate).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it.each([
    { flag: '--enable-garbage-collector', code: 200, finalizers: ['orphan'] },
    { flag: '--enable-garbage-collector=false', code: 404, finalizers: undefined },
  ])('$flag says whether a deletion waits for the garbage collector', async ({ flag, code, finalizers }) => {
    await using server = await startApiServer({ args: [flag, '--delete-collection-workers=3'] });
    using admin = new AdminClient(server.kubeconfig);
    for (const name of ['a', 'b', 'c']) await admin.json('POST', configMaps, { metadata: { name } });
    await admin.request('DELETE', `${configMaps}?propagationPolicy=Orphan`);
    const { status, body } = await admin.request('GET', `${configMaps}/b`);
    expect([status, JSON.parse(body).metadata.finalizers]).toEqual([code, finalizers]);
  });

  it.each([
    [['--version=v1.36'], 'Error: invalid argument "v1.36" for "--version" flag: illegal version string "v1.36"\n'],
    [['extra'], 'Error: "kube-apiserver" does not take any arguments, got ["extra"]\n'],
    [['--nothing'], 'Error: unknown flag: --nothing\n'],
    [['--nothing=1'], 'Error: unknown flag: --nothing\n'],
    [['--secure-port'], 'Error: flag needs an argument: --secure-port\n'],
    [
      ['--secure-port=x'],
      'Error: invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax\n',
    ],
  ])('%j is refused', async (args, stderr) => {
    expect(await runBinary(args)).toEqual({ code: 1, signal: null, stdout: '', stderr });
  });

  it.each([
    {
      args: ['--logging-format=xml', '--secure-port=70000', '--etcd-servers=127.0.0.1:2379'],
      messages: ['Unsupported log format', '--secure-port 70000 must be between 0 and 65535', 'etcd'],
    },
    {
      args: ['--storage-backend=paper', '--max-requests-inflight=-1'],
      messages: ['--storage-backend', '--max-requests-inflight can not be negative value'],
    },
    { args: ['--tls-cert-file=x.crt'], messages: ['missing filename for serving cert'] },
  ])('$args: everything wrong is said at once', async ({ args, messages }) => {
    using folder = temporaryDirectory('flags');
    const { code, stdout, stderr } = await runBinary([`--data-dir=${folder.path}/data`, ...args]);
    expect([code, stdout]).toEqual([1, '']);
    for (const message of messages) expect(stderr).toContain(message);
  });

  it('reports a taken port', async () => {
    using folder = temporaryDirectory('port');
    const listener = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => listener.once('listening', resolve));
    const address = listener.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { code, stdout, stderr } = await runBinary([
      `--data-dir=${folder.path}/data`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
    ]);
    listener.close();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`listen tcp 127.0.0.1:${port}: bind: address already in use`);
  });

  it('refuses a data folder that another server uses', async () => {
    await using server = await startApiServer();
    const { code, stderr } = await runBinary([
      `--data-dir=${server.dataDirectory}`,
      '--bind-address=127.0.0.1',
      '--secure-port=0',
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(server.dataDirectory);
  });
});

describe('the first start', () => {
  const modes = (folder: string) =>
    Object.fromEntries(
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(join(folder, name)).isFile())
        .map((name) => [name, statSync(join(folder, name)).mode & 0o077]),
    );

  it('makes missing files, readable by the owner only, and prints one short block', async () => {
    await using server = await startApiServer();
    expect(statSync(server.dataDirectory).mode & 0o777).toBe(0o700);
    const secret = Object.entries(modes(server.dataDirectory)).filter(([name]) => /\.key$|kubeconfig$/.test(name));
    expect(secret.map(([, mode]) => mode)).toEqual(secret.map(() => 0));
    expect(secret.map(([name]) => name).sort()).toEqual([
      'admin.kubeconfig',
      'pki/admin.key',
      'pki/apiserver.key',
      'pki/ca.key',
      'pki/sa.key',
    ]);
    expect(server.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(6);
    for (const part of [server.url, server.kubeconfig, 'kubectl --kubeconfig']) expect(server.stdout).toContain(part);
    expect(server.port).toBeGreaterThan(0);
  });

  it('logs the version and the flags that were set', async () => {
    await using server = await startApiServer({ args: ['-v=1'] });
    await server.stop();
    expect(server.stderr).toMatch(/] Version: v1\.36\.\d+/);
    expect(server.stderr).toMatch(/] FLAG: --secure-port="0"/);
    expect(server.stderr).toMatch(/] FLAG: --profiling=|] FLAG: --cert-dir=/);
  });

  it('logs no error, also with controllers', async () => {
    await using server = await startApiServer({ args: ['--controllers=*'] });
    using client = new AdminClient(server.kubeconfig);
    const account = '/api/v1/namespaces/kube-public/serviceaccounts/default';
    await expect.poll(async () => (await client.request('GET', account)).status, { timeout: 30_000 }).toBe(200);
    const { stderr } = await server.stop();
    expect(stderr.match(/^E\d{4} .*$/gm) ?? []).toEqual([]);
  });

  it('is not repeated: objects, keys and identity stay', async () => {
    using folder = temporaryDirectory('restart');
    const dataDirectory = join(folder.path, 'data');
    const identity = () =>
      ['ca.crt', 'apiserver.crt', 'admin.crt', 'sa.pub'].map((name) =>
        readFileSync(join(dataDirectory, 'pki', name), 'utf8'),
      );
    let uid: unknown;
    let files: string[];
    {
      await using server = await startApiServer({ dataDirectory });
      using client = new AdminClient(server.kubeconfig);
      uid = (await client.json('POST', configMaps, { metadata: { name: 'kept' } }))['metadata'];
      files = identity();
      await server.stop();
    }
    await using server = await startApiServer({ dataDirectory });
    using client = new AdminClient(server.kubeconfig);
    expect((await client.json('GET', `${configMaps}/kept`))['metadata']).toEqual(uid);
    expect(identity()).toEqual(files);
  });

  it('with --storage-backend=memory starts empty each time', async () => {
    using folder = temporaryDirectory('memory');
    const options = { dataDirectory: join(folder.path, 'data'), args: ['--storage-backend=memory'] };
    for (let run = 0; run < 2; run++) {
      await using server = await startApiServer(options);
      using client = new AdminClient(server.kubeconfig);
      expect((await client.request('POST', configMaps, { metadata: { name: 'forgotten' } })).status).toBe(201);
      await server.stop();
    }
  });
});

describe('shutdown', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s ends watches, finishes requests and exits with 0', async (signal) => {
    await using server = await startApiServer();
    using client = new AdminClient(server.kubeconfig);
    const watching = (async () => {
      let events = 0;
      for await (const _ of client.watch(`${configMaps}?watch=1`, new AbortController().signal)) events++;
      return events;
    })();
    await client.request('GET', '/readyz');
    // Those that the server does not take any more are refused while it is waited for.
    const creating = Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        client.request('POST', configMaps, { metadata: { name: `last-${index}` } }),
      ),
    );
    await sleep(5);
    const ended = await server.stop(signal);
    expect([ended.code, ended.signal]).toEqual([0, null]);
    const statuses = (await creating).map((result) =>
      result.status === 'fulfilled' ? result.value.status : 'refused',
    );
    expect(statuses.filter((status) => ![201, 429, 'refused'].includes(status))).toEqual([]);
    expect(await deadline(watching, 30_000, () => 'the watch does not end')).toBeGreaterThanOrEqual(0);
  });

  it('fails /readyz first and serves requests during --shutdown-delay-duration', async () => {
    await using server = await startApiServer({ args: ['--shutdown-delay-duration=10s'] });
    using client = new AdminClient(server.kubeconfig);
    expect((await client.request('GET', '/readyz')).status).toBe(200);
    const begun = Date.now();
    const stopping = server.stop();
    const isUnready = async () => (await client.request('GET', '/readyz')).status === 500;
    await expect.poll(isUnready).toBe(true);
    const readyz = await client.request('GET', '/readyz');
    const [live, read] = [await client.request('GET', '/livez'), await client.request('GET', configMaps)];
    expect([readyz.status, live.status, read.status]).toEqual([500, 200, 200]);
    expect(readyz.body).toContain('[-]shutdown failed: reason withheld');
    expect((await stopping).code).toBe(0);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(10_000);
  });

  it('does not wait for a client that never finishes its request’s head', async () => {
    await using server = await startApiServer();
    const { ca, cert, key } = readCredentials(server.kubeconfig);
    const socket = connect({ host: '127.0.0.1', port: server.port, ca, cert, key, ALPNProtocols: ['http/1.1'] });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
    await sleep(100);
    const begun = Date.now();
    expect((await server.stop()).code).toBe(0);
    // Its head may take 32 s.
    expect(Date.now() - begun).toBeLessThan(25_000);
    socket.destroy();
  });

  it('a second signal ends it at once', async () => {
    await using server = await startApiServer({ args: ['--shutdown-delay-duration=24h'] });
    server.child.kill('SIGTERM');
    await sleep(200);
    expect((await server.stop('SIGINT')).code).toBe(1);
  });
});
