import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { KubeConfig, PortForward } from '@kubernetes/client-node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, repositoryRoot, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { type Command, FakeKubelet } from '../harness/fake-kubelet.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { certificate, key } from '../harness/kubelet-certificate.ts';

const missing = kubectlMissing();

/** The setting by which kubectl speaks SPDY, as before 1.31. */
const OLD_CLIENT = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };

/** Client, and node: which of its three ways a connection takes. */
const ways = [
  { way: 'WebSocket translated to SPDY', node: 'old', environment: {}, spoken: 'SPDY' },
  { way: 'WebSocket passed through', node: 'new', environment: {}, spoken: 'WebSocket' },
  { way: 'SPDY passed through', node: 'old', environment: OLD_CLIENT, spoken: 'SPDY' },
] as const;

/** Upstream's own OpenAPI document, where it is at hand. */
const upstreamDocument = join(repositoryRoot, '../shared/facts/openapi-v2-1.36.json');
const connectionPath = /\{name\}\/(attach|exec|log|portforward|proxy)(\/\{path\})?$/;

interface Document {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** With shared parameters in place, and without descriptions and the encodings that are off by default. */
function resolved(value: unknown, document: Document): unknown {
  if (Array.isArray(value)) {
    return value.filter((one) => one !== 'application/cbor').map((one) => resolved(one, document));
  }
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref?.startsWith('#/parameters/')) return resolved(document.parameters?.[$ref.slice(13)], document);
  const entries = Object.entries(value).filter(([key]) => key !== 'description');
  return Object.fromEntries(entries.map(([key, inner]) => [key, resolved(inner, document)]));
}

/** A container that knows some commands. */
function container(files: Map<string, Buffer>): Command {
  return async ({ command, spoken, stdin, stdout, stderr }) => {
    const [program, ...args] = command;
    switch (program) {
      case undefined:
      case 'cat':
        if (program === undefined) await stdout('attached\n');
        for await (const chunk of stdin) await stdout(chunk);
        return 0;
      case 'spoken':
        await stdout(spoken);
        return 0;
      case 'fail':
        await stderr('it went wrong\n');
        return Number(args[0]);
      case 'flood':
        for (let megabyte = 0; megabyte < Number(args[0]); megabyte++) await stdout(Buffer.alloc(2 ** 20, 'x'));
        return 0;
      case 'tar': {
        const parts: Buffer[] = [];
        if (args[0]?.startsWith('c')) {
          await stdout(renamed(files.get('archive') ?? Buffer.alloc(512), args.at(-1) ?? ''));
          return 0;
        }
        for await (const chunk of stdin) parts.push(chunk);
        files.set('archive', Buffer.concat(parts));
        return 0;
      }
      default:
        await stderr(`${program}: not found\n`);
        return program === 'test' ? 1 : 127;
    }
  };
}

/** A tar archive of one file, which gets another name: kubectl packs names without folders and unpacks them with. */
function renamed(archive: Buffer, path: string): Buffer {
  const header = Buffer.from(archive.subarray(0, 512));
  header.fill(0, 0, 100).write(path.replace(/^\//, ''));
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, archive.subarray(512)]);
}

describe.skipIf(missing !== undefined)(`kubectl and kubelets${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const files = new Map<string, Buffer>();
  let folder: ReturnType<typeof temporaryDirectory>;
  let kubelet: FakeKubelet;
  let server: ApiServer;
  let kubectl: Kubectl;
  let admin: AdminClient;
  let moreLog: (() => void) | undefined;

  async function makePod(name: string, nodeName: string): Promise<void> {
    const spec = {
      nodeName,
      containers: [
        { name: 'main', image: 'i' },
        { name: 'side', image: 'i' },
      ],
    };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
    await kubectl.ok(['create', '-f', '-'], JSON.stringify(pod));
    const status = { phase: 'Running', podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] };
    await kubectl.ok(['patch', 'pod', name, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
  }

  beforeAll(async () => {
    folder = temporaryDirectory('connect');
    kubelet = new FakeKubelet({
      command: container(files),
      log: (url, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain' });
        response.write(`first ${url.pathname}${url.search}\n`);
        if (url.searchParams.get('follow') !== 'true') response.end('last\n');
        else moreLog = () => response.end('more\n');
      },
      port: (port, connection) => {
        connection.on('data', (chunk: Buffer) => connection.write(`${port}:${chunk}`));
        connection.once('end', () => connection.end());
      },
      refuse: ({ url }) => {
        if (url?.includes('/refused/')) return { status: 403, body: 'the kubelet says no\n' };
        if (url?.includes('/moved/')) return { status: 302, body: '', headers: { Location: 'https://127.0.0.1:1/' } };
        return undefined;
      },
    });
    const port = await kubelet.listen();
    const certificateFile = join(folder.path, 'kubelet.crt');
    const keyFile = join(folder.path, 'kubelet.key');
    writeFileSync(certificateFile, certificate);
    writeFileSync(keyFile, key);
    server = await startApiServer({
      args: [
        `--kubelet-certificate-authority=${certificateFile}`,
        `--kubelet-client-certificate=${certificateFile}`,
        `--kubelet-client-key=${keyFile}`,
        '--kubelet-preferred-address-types=InternalIP',
        '--authorization-mode=RBAC',
      ],
    });
    kubectl = new Kubectl(server.kubeconfig);
    admin = new AdminClient(server.kubeconfig);
    await kubectl.ok(['create', 'serviceaccount', 'default']);
    for (const [name, features] of [
      ['old', []],
      ['new', ['ExtendWebSocketsToKubelet']],
    ] as const) {
      const status = {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
        declaredFeatures: features,
      };
      await kubectl.ok(
        ['create', '-f', '-'],
        JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name }, status }),
      );
      await makePod(name, name);
    }
    await makePod('refused', 'old');
    await makePod('moved', 'old');
    const gone = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
    };
    await kubectl.ok(
      ['create', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'gone' }, status: gone }),
    );
    await makePod('gone', 'gone');
    await makePod('nowhere', '');
  });
  afterAll(async () => {
    admin?.[Symbol.dispose]();
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    await kubelet?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });
  beforeEach(() => {
    kubelet.seen.length = 0;
    files.clear();
  });

  describe.each(ways)('$way', ({ node, environment, spoken }) => {
    const exec = (args: readonly string[], input = '') =>
      kubectl.run(['exec', node, '-c', 'main', ...args], input, environment);

    it('exec runs a command', async () => {
      expect(await exec(['--', 'spoken'])).toEqual({ code: 0, stdout: spoken, stderr: '' });
      expect(kubelet.seen.map(({ url, client }) => [url, client])).toEqual([
        [`/exec/default/${node}/main?command=spoken&error=1&output=1`, 'kubelet-and-client'],
      ]);
    });

    it('exec -i carries input, and its end', async () => {
      const input = randomBytes(3_000_000).toString('hex');
      expect(await exec(['-i', '--', 'cat'], input)).toEqual({ code: 0, stdout: input, stderr: '' });
    });

    it('exec carries more than anybody keeps', async () => {
      const { code, stdout } = await exec(['--', 'flood', '40']);
      expect([code, stdout.length]).toEqual([0, 40 * 2 ** 20]);
    });

    it('exec returns the exit code', async () => {
      expect(await exec(['--', 'fail', '42'])).toEqual({
        code: 42,
        stdout: '',
        stderr: 'it went wrong\ncommand terminated with exit code 42\n',
      });
    });

    it('attach joins the process', async () => {
      const attached = await kubectl.run(['attach', node, '-c', 'main', '-i'], 'hello\n', environment);
      expect([attached.code, attached.stdout]).toEqual([0, 'attached\nhello\n']);
    });

    it('cp copies there and back', async () => {
      const local = join(folder.path, `local-${node}-${spoken}`);
      mkdirSync(local, { recursive: true });
      writeFileSync(join(local, 'file'), 'what is in it');
      const copy = (from: string, to: string) => kubectl.run(['cp', '-c', 'main', from, to], '', environment);
      expect(await copy(join(local, 'file'), `${node}:/tmp/file`)).toEqual({ code: 0, stdout: '', stderr: '' });
      expect((await copy(`${node}:/tmp/file`, join(local, 'back'))).code).toBe(0);
      expect(readFileSync(join(local, 'back'), 'utf8')).toBe('what is in it');
    });

    it('port-forward carries connections', async () => {
      await using forward = kubectl.follow(['port-forward', node, ':8080'], environment);
      const [line = ''] = await forward.waitForLines(1);
      const port = Number(/127\.0\.0\.1:(\d+) -> 8080/.exec(line)?.[1]);
      expect(await Promise.all([ask(port, 'one'), ask(port, 'two')])).toEqual(['8080:one', '8080:two']);
      const upgrades = kubelet.seen.map(({ headers }) => headers.upgrade);
      expect(upgrades).toEqual([spoken === 'SPDY' ? 'SPDY/3.1' : 'websocket']);
    });
  });

  it.each(['old', 'new'])('ports of node %s are forwarded to clients with a channel per port', async (node) => {
    const config = new KubeConfig();
    config.loadFromFile(server.kubeconfig);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const opened = await new PortForward(config, false).portForward('default', node, [8080], output, null, input);
    const webSocket = typeof opened === 'function' ? opened() : opened;
    input.write('one');
    expect((await once(output, 'data')).map(String)).toEqual(['8080:one']);
    webSocket?.close();
    expect(kubelet.seen.map(({ url, headers }) => [url, headers['sec-websocket-protocol']])).toEqual([
      [`/portForward/default/${node}?port=8080`, expect.stringContaining('v4.channel.k8s.io')],
    ]);
  });

  describe('logs', () => {
    it('come as the kubelet has them', async () => {
      const args = ['--since=5s', '--tail=7', '--timestamps', '--previous', '--limit-bytes=99', '-c', 'side'];
      expect(await kubectl.ok(['logs', 'old', ...args])).toBe(
        'first /containerLogs/default/old/side?limitBytes=99&previous=true&sinceSeconds=5&tailLines=7&timestamps=true\nlast\n',
      );
    });

    it('-f shows each line when it comes', async () => {
      await using logs = kubectl.follow(['logs', '-f', 'old', '-c', 'main']);
      expect(await logs.waitForLines(1)).toEqual(['first /containerLogs/default/old/main?follow=true']);
      moreLog?.();
      expect((await logs.waitForLines(2))[1]).toBe('more');
    });

    it('of a pod without a node are empty', async () => {
      const { status, body } = await admin.request('GET', '/api/v1/namespaces/default/pods/nowhere/log?container=main');
      expect([status, body]).toEqual([204, '']);
    });
  });

  describe('refusals', () => {
    const pods = '/api/v1/namespaces/default/pods';

    it.each([
      ['GET', `${pods}/old/exec?container=main&command=x&stdout=1`, 400, 'Upgrade request required'],
      [
        'GET',
        `${pods}/old/exec?command=x`,
        400,
        'a container name must be specified for pod old, choose one of: [main side]',
      ],
      ['POST', `${pods}/old/attach?container=none`, 400, 'container none is not valid for pod old'],
      ['POST', `${pods}/nowhere/portforward`, 400, 'pod nowhere does not have a host assigned'],
      ['POST', `${pods}/none/exec?command=x`, 404, 'pods "none" not found'],
      ['POST', `${pods}/old/exec?dryRun=All`, 400, 'dryRun is not supported'],
      ['DELETE', `${pods}/old/exec`, 405, 'the server does not allow this method on the requested resource'],
      ['GET', `${pods}/old/exec/more`, 404, 'the server could not find the requested resource'],
      [
        'GET',
        `${pods}/old/log?container=main&tailLines=-1`,
        422,
        'PodLogOptions "old" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
      ],
      ['GET', `${pods}/old/log?container=main&tailLines=x`, 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
      ['GET', `${pods}/refused/log?container=main`, 403, 'the kubelet says no'],
      ['GET', `${pods}/old/proxy/x`, 400, 'address not allowed'],
      ['GET', `/api/v1/nodes/old/proxy/metrics`, 400, 'address not allowed'],
      ['GET', `/api/v1/nodes/none/proxy/metrics`, 404, 'nodes "none" not found'],
      ['GET', `/api/v1/nodes/ftp:old:1/proxy/`, 400, 'invalid node request "ftp:old:1"'],
      [
        'GET',
        `/api/v1/namespaces/default/services/kubernetes:nope/proxy/`,
        503,
        'no endpoints available for service "kubernetes:nope"',
      ],
    ])('%s %s', async (method, path, status, message) => {
      const response = await admin.request(method, path);
      expect([response.status, JSON.parse(response.body).message]).toEqual([status, expect.stringContaining(message)]);
    });

    it.each(ways.slice(0, 2))('a command that the kubelet refuses ($way)', async ({ environment }) => {
      const { code, stderr } = await kubectl.run(['exec', 'refused', '-c', 'main', '--', 'x'], '', environment);
      expect([code, stderr]).toEqual([1, expect.stringContaining('the kubelet says no')]);
    });

    it.each([
      ['moved', {}, 'redirect not allowed'],
      ['moved', OLD_CLIENT, 'invalid upgrade response: status code 302'],
      ['gone', {}, 'dial tcp 127.0.0.1:1: connect: connection refused'],
      ['gone', OLD_CLIENT, 'error dialing backend: dial tcp 127.0.0.1:1: connect: connection refused'],
    ])('a command at %s %j', async (pod, environment, message) => {
      const { code, stderr } = await kubectl.run(['exec', pod, '-c', 'main', '--', 'x'], '', environment);
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    });

    it('a user with get alone runs nothing', async () => {
      await kubectl.ok(['create', 'role', 'reader', '--verb=get', '--resource=pods,pods/exec,pods/log']);
      await kubectl.ok(['create', 'rolebinding', 'reader', '--role=reader', '--user=bob']);
      const run = (...args: string[]) => kubectl.run(['--as=bob', ...args]);
      expect((await run('logs', 'old', '-c', 'main')).code).toBe(0);
      expect((await run('exec', 'old', '-c', 'main', '--', 'spoken')).stderr).toMatch(/pods "old" is forbidden/);
    });
  });

  it.skipIf(!existsSync(upstreamDocument))(
    'are described as upstream does (skipped where ../shared is absent)',
    async () => {
      const [upstream, ours] = [
        JSON.parse(readFileSync(upstreamDocument, 'utf8')),
        await admin.json('GET', '/openapi/v2'),
      ];
      const described = (document: Document) =>
        Object.entries(document.paths)
          .filter(([path]) => connectionPath.test(path))
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([path, item]) => [path, resolved(item, document)]);
      expect(described(upstream).length).toBe(10);
      expect(described(ours as unknown as Document)).toEqual(described(upstream));
    },
  );

  it('are discovered as upstream does', async () => {
    const { resources } = (await admin.json('GET', '/api/v1')) as unknown as { resources: { name: string }[] };
    const commands = { singularName: '', namespaced: true, verbs: ['create', 'get'] };
    const proxies = { singularName: '', verbs: ['create', 'delete', 'get', 'patch', 'update'] };
    expect(resources.filter(({ name }) => /\/(attach|exec|log|portforward|proxy)$/.test(name))).toEqual([
      { name: 'nodes/proxy', namespaced: false, kind: 'NodeProxyOptions', ...proxies },
      { name: 'pods/attach', kind: 'PodAttachOptions', ...commands },
      { name: 'pods/exec', kind: 'PodExecOptions', ...commands },
      { name: 'pods/log', kind: 'Pod', ...commands, verbs: ['get'] },
      { name: 'pods/portforward', kind: 'PodPortForwardOptions', ...commands },
      { name: 'pods/proxy', namespaced: true, kind: 'PodProxyOptions', ...proxies },
      { name: 'services/proxy', namespaced: true, kind: 'ServiceProxyOptions', ...proxies },
    ]);
  });

  it('frees everything when a client goes', async () => {
    const before = kubelet.sockets.size;
    {
      await using logs = kubectl.follow(['logs', '-f', 'old', '-c', 'main']);
      await logs.waitForLines(1);
      await using forward = kubectl.follow(['port-forward', 'old', ':80']);
      await forward.waitForLines(1);
      await using attached = kubectl.follow(['attach', 'old', '-c', 'main', '-i']);
      await attached.waitForLines(1);
      expect(kubelet.sockets.size).toBeGreaterThan(before);
    }
    await expect.poll(() => kubelet.sockets.size).toBeLessThanOrEqual(before);
  });

  it('are counted as upstream does', async () => {
    const { body } = await admin.request('GET', '/metrics');
    const series = /^((?:apiserver_(?:stream|websocket)|kube_apiserver_pod_logs)_\S+) (\d+)$/gm;
    const counted = [...body.matchAll(series)].filter(([, , count]) => Number(count) > 0).map(([, name]) => name);
    expect(counted.sort()).toEqual([
      'apiserver_stream_translator_requests_total{code="200"}',
      'apiserver_stream_translator_requests_total{code="500"}',
      'apiserver_stream_tunnel_requests_total{code="101"}',
      'apiserver_websocket_streaming_requests_total{proxy_type="proxied_to_kubelet",subresource="attach"}',
      'apiserver_websocket_streaming_requests_total{proxy_type="proxied_to_kubelet",subresource="exec"}',
      'apiserver_websocket_streaming_requests_total{proxy_type="proxied_to_kubelet",subresource="portforward"}',
      'apiserver_websocket_streaming_requests_total{proxy_type="translated_at_apiserver",subresource="attach"}',
      'apiserver_websocket_streaming_requests_total{proxy_type="translated_at_apiserver",subresource="exec"}',
      'apiserver_websocket_streaming_requests_total{proxy_type="tunneled_at_apiserver",subresource="portforward"}',
      'kube_apiserver_pod_logs_insecure_backend_total{usage="enforce_tls"}',
    ]);
  });
});

/** Sends some bytes, ends, and returns the received bytes. */
function ask(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
    });
    socket.once('end', () => resolve(received)).once('error', reject);
  });
}
