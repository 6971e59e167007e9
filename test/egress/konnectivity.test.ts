import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { FakeKubelet } from '../harness/fake-kubelet.ts';
import { Kubectl } from '../harness/kubectl.ts';
import { certificate, key } from '../harness/kubelet-certificate.ts';
import { OtlpReceiver } from '../tracing/otlp-receiver.ts';
import { Konnectivity, konnectivityMissing } from './konnectivity-programs.ts';

const missing = konnectivityMissing();
/** The programs are compiled first. */
const DEADLINE = 8 * 60_000;
const BIG = 'a line of a log that is long enough to fill many packets\n'.repeat(40_000);

describe.skipIf(missing !== undefined)(`konnectivity${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('leads to kubelets, by its own server and agent', { timeout: 180_000 }, async () => {
    using folder = temporaryDirectory('konnectivity');
    const files = { folder: folder.path, certificate: join(folder.path, 'crt'), key: join(folder.path, 'key') };
    writeFileSync(files.certificate, certificate);
    writeFileSync(files.key, key);
    await using konnectivity = new Konnectivity(files);
    await konnectivity.start();
    await using kubelet = new FakeKubelet({
      command: async ({ stdin, stdout }) => {
        for await (const bytes of stdin) await stdout(bytes);
        return 0;
      },
      log: (_url, response) => void response.end(BIG),
      port: () => {},
    });
    const config = join(folder.path, 'egress.yaml');
    writeFileSync(
      config,
      `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection: {proxyProtocol: GRPC, transport: {uds: {udsName: ${konnectivity.socketPath}}}}
`,
    );
    await using server = await startApiServer({
      args: [
        `--egress-selector-config-file=${config}`,
        ...[`--kubelet-client-certificate=${files.certificate}`, `--kubelet-client-key=${files.key}`],
        '--kubelet-preferred-address-types=InternalIP',
        '--disable-admission-plugins=ServiceAccount',
      ],
    });
    using client = new AdminClient(server.kubeconfig);
    using kubectl = new Kubectl(server.kubeconfig);
    const daemonEndpoints = { kubeletEndpoint: { Port: await kubelet.listen() } };
    const status = { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], daemonEndpoints };
    await client.request('POST', '/api/v1/nodes', { metadata: { name: 'n' }, status });
    const spec = { nodeName: 'n', containers: [{ name: 'main', image: 'i' }] };
    await client.request('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
    await client.request(
      'PATCH',
      '/api/v1/namespaces/default/pods/p/status',
      { status: { phase: 'Running' } },
      { 'content-type': 'application/merge-patch+json' },
    );
    const log = '/api/v1/namespaces/default/pods/p/log';
    // The server refuses dials until its agent has connected.
    await expect.poll(async () => (await client.request('GET', log)).status).toBe(200);
    expect((await client.request('GET', log)).body === BIG).toBe(true);
    const { stdout } = await kubectl.run(['exec', '-i', 'p', '--', 'cat'], 'through the tunnel');
    expect(stdout).toBe('through the tunnel');
    const metrics = (await client.request('GET', '/metrics')).body;
    expect(metrics).toMatch(/^apiserver_egress_dialer_dial_start_total\{protocol="grpc",transport="uds"\} [1-9]/m);
    expect(metrics).toMatch(/^konnectivity_network_proxy_client_client_connections\{status="ok"\} \d/m);
    await kubelet[Symbol.asyncDispose]();
    expect((await client.request('GET', log)).body).toMatch(/connection refused|EOF/);
  });

  it('leads to the collector of spans', { timeout: DEADLINE }, async () => {
    using folder = temporaryDirectory('konnectivity-spans');
    const files = { folder: folder.path, certificate: join(folder.path, 'crt'), key: join(folder.path, 'key') };
    writeFileSync(files.certificate, certificate);
    writeFileSync(files.key, key);
    await using receiver = await OtlpReceiver.start();
    await using konnectivity = new Konnectivity(files);
    await konnectivity.start();
    const egress = join(folder.path, 'egress.yaml');
    const connection = `{proxyProtocol: GRPC, transport: {uds: {udsName: ${konnectivity.socketPath}}}}`;
    writeFileSync(
      egress,
      `apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\negressSelections:\n- name: controlplane\n  connection: ${connection}\n`,
    );
    const tracing = join(folder.path, 'tracing.yaml');
    writeFileSync(
      tracing,
      `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: 127.0.0.1:${receiver.port}\nsamplingRatePerMillion: 1000000\n`,
    );
    await using server = await startApiServer({
      args: [`--egress-selector-config-file=${egress}`, `--tracing-config-file=${tracing}`],
    });
    using client = new AdminClient(server.kubeconfig);
    // Batches are sent every few seconds; those before the agent has connected are lost.
    await expect
      .poll(
        async () => {
          await client.request('GET', '/api/v1/namespaces/default');
          return receiver.spans.some(({ name }) => name === 'Get');
        },
        { timeout: 60_000, interval: 200 },
      )
      .toBe(true);
    const metrics = (await client.request('GET', '/metrics')).body;
    expect(metrics).toMatch(/^apiserver_egress_dialer_dial_start_total\{protocol="grpc",transport="uds"\} [1-9]/m);
  });
});
