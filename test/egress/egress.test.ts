import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { FakeKubelet } from '../harness/fake-kubelet.ts';
import { Kubectl } from '../harness/kubectl.ts';
import { certificate, key } from '../harness/kubelet-certificate.ts';
import { egressFile, proxyTo } from './proxy-to.ts';

/** An address that no machine has. */
const NODE = '192.0.2.77';

it('reaches kubelets and webhooks through proxies', async () => {
  using folder = temporaryDirectory('egress');
  await using kubelet = new FakeKubelet({
    command: async ({ stdout }) => {
      await stdout('through the proxy');
      return 0;
    },
    log: (_url, response) => void response.end('a log\n'),
    port: () => {},
  });
  using proxy = await proxyTo(await kubelet.listen());
  for (const [name, text] of [
    ['crt', certificate],
    ['key', key],
  ] as const)
    writeFileSync(join(folder.path, name), text);
  const config = egressFile(folder.path, proxy, ['cluster', 'controlplane']);
  await using server = await startApiServer({
    args: [
      `--egress-selector-config-file=${config}`,
      ...['certificate=crt', 'key=key'].map((pair) => `--kubelet-client-${pair.replace('=', `=${folder.path}/`)}`),
      '--kubelet-preferred-address-types=InternalIP',
      '--disable-admission-plugins=ServiceAccount',
    ],
  });
  using client = new AdminClient(server.kubeconfig);
  using kubectl = new Kubectl(server.kubeconfig);
  const daemonEndpoints = { kubeletEndpoint: { Port: 10250 } };
  const status = { addresses: [{ type: 'InternalIP', address: NODE }], daemonEndpoints };
  await client.request('POST', '/api/v1/nodes', { metadata: { name: 'n' }, status });
  const containers = [{ name: 'main', image: 'i' }];
  const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers } };
  await client.request('POST', '/api/v1/namespaces/default/pods', pod);
  await client.request(
    'PATCH',
    '/api/v1/namespaces/default/pods/p/status',
    { status: { phase: 'Running' } },
    { 'content-type': 'application/merge-patch+json' },
  );
  expect((await client.request('GET', '/api/v1/namespaces/default/pods/p/log')).body).toBe('a log\n');
  expect((await kubectl.run(['exec', 'p', '--', 'x'])).stdout).toBe('through the proxy');
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const webhook = {
    name: 'w.example.com',
    clientConfig: { url: 'https://hooks.example/x' },
    rules,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  await client.request('POST', configurations, { metadata: { name: 'c' }, webhooks: [webhook] });
  await expect
    .poll(
      async () =>
        (await client.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { generateName: 'a' } }))
          .body,
    )
    .toMatch(/proxy error from 127\.0\.0\.1:\d+ while dialing hooks\.example:443, code 403: 403 Forbidden/);
  expect([...new Set(proxy.asked)]).toEqual([`${NODE}:10250`, 'hooks.example:443']);
  expect((await client.request('GET', '/metrics')).body).toMatch(
    /^apiserver_egress_dialer_dial_start_total\{protocol="http_connect",transport="tcp"\} [1-9]/m,
  );
});
