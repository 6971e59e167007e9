import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningKubeApiserver, startKubeApiserver } from '../start/start-kube-apiserver.js';

interface TestResponse {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: the response is inspected member by member
  readonly body: any;
}

let directory: string;
let server: RunningKubeApiserver;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'admission-'));
  server = await startKubeApiserver({ dataDirectory: directory, storageBackend: 'memory' });
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

/** Asks as the administrator. */
function ask(method: string, path: string, body?: object): Promise<TestResponse> {
  const kubeconfig = readFileSync(server.kubeconfigPath ?? '', 'utf8');
  const data = (key: string) => Buffer.from(new RegExp(`${key}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64');
  const { promise, resolve, reject } = Promise.withResolvers<TestResponse>();
  const options = {
    method,
    ca: data('certificate-authority-data'),
    cert: data('client-certificate-data'),
    key: data('client-key-data'),
    headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
  };
  request(`${server.address}${path}`, options, async (response) => {
    let text = '';
    for await (const chunk of response) text += chunk;
    resolve({ code: response.statusCode ?? 0, body: JSON.parse(text) });
  })
    .on('error', reject)
    .end(body && JSON.stringify(body));
  return promise;
}

const NS = '/api/v1/namespaces/default';
const ofCore = (kind: string, name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...more,
});
const pod = (name: string, spec: object = {}) =>
  ofCore('Pod', name, { spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
const withAccount = (name: string, spec: object = {}) => pod(name, { serviceAccountName: 'robot', ...spec });

describe('a server with upstream’s default plugins', () => {
  it('gives a pod the same defaults as upstream', async () => {
    await ask('POST', `${NS}/serviceaccounts`, ofCore('ServiceAccount', 'robot'));
    const { code, body } = await ask(
      'POST',
      `${NS}/pods`,
      withAccount('a', { priorityClassName: 'system-node-critical' }),
    );
    expect(code).toBe(201);
    const [{ name }] = body.spec.volumes;
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(body.spec).toEqual({
      volumes: [
        {
          name,
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              {
                downwardAPI: {
                  items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
                },
              },
            ],
            defaultMode: 420,
          },
        },
      ],
      containers: [
        {
          name: 'c',
          image: 'i',
          resources: {},
          volumeMounts: [{ name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'robot',
      serviceAccount: 'robot',
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((condition) => ({
        key: `node.kubernetes.io/${condition}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      priorityClassName: 'system-node-critical',
      priority: 2_000_001_000,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    });
  });

  it('has the system’s priority classes when it is ready', async () => {
    const { body } = await ask('GET', '/apis/scheduling.k8s.io/v1/priorityclasses');
    expect(body.items.map((item: { value: number }) => item.value)).toEqual([2_000_000_000, 2_000_001_000]);
    const globalDefault = {
      ...ofCore('PriorityClass', 'd', { value: 5, globalDefault: true }),
      apiVersion: 'scheduling.k8s.io/v1',
    };
    const create = (name: string) =>
      ask('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { ...globalDefault, metadata: { name } });
    expect((await create('d')).code).toBe(201);
    expect((await create('e')).body.message).toBe(
      'priorityclasses.scheduling.k8s.io "e" is forbidden: PriorityClass d is already marked as default. Only one default can exist',
    );
    expect((await ask('POST', `${NS}/pods`, withAccount('default-priority'))).body.spec).toMatchObject({
      priorityClassName: 'd',
      priority: 5,
    });
    await ask('DELETE', '/apis/scheduling.k8s.io/v1/priorityclasses/d');
  });

  it('taints a node, and protects claims and volumes', async () => {
    const node = await ask('POST', '/api/v1/nodes', ofCore('Node', 'n'));
    expect(node.body.spec).toEqual({ taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] });
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const storageClass = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'gold', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'x',
    };
    await ask('POST', '/apis/storage.k8s.io/v1/storageclasses', storageClass);
    const { body } = await ask('POST', `${NS}/persistentvolumeclaims`, ofCore('PersistentVolumeClaim', 'c', { spec }));
    expect([body.metadata.finalizers, body.spec.storageClassName]).toEqual([['kubernetes.io/pvc-protection'], 'gold']);
    await ask('PATCH', `${NS}/persistentvolumeclaims/c/status`, { status: { phase: 'Bound' } });
    const bigger = { spec: { resources: { requests: { storage: '2Gi' } } } };
    expect((await ask('PATCH', `${NS}/persistentvolumeclaims/c`, bigger)).body.message).toBe(
      'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    );
  });

  it('never exceeds the quota of a namespace under concurrent creates', async () => {
    const hard = { pods: '7', 'requests.cpu': '10' };
    await ask('POST', '/api/v1/namespaces', ofCore('Namespace', 'small'));
    const small = '/api/v1/namespaces/small';
    await ask('POST', `${small}/serviceaccounts`, ofCore('ServiceAccount', 'robot'));
    const quota = await ask('POST', `${small}/resourcequotas`, ofCore('ResourceQuota', 'q', { spec: { hard } }));
    const status = { hard, used: { pods: '0', 'requests.cpu': '0' } };
    await ask('PUT', `${small}/resourcequotas/q/status`, { ...quota.body, status });
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }];
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
    const responses = await Promise.all(
      names.map((name) => ask('POST', `${small}/pods`, withAccount(name, { containers }))),
    );
    expect(responses.filter(({ code }) => code === 201)).toHaveLength(7);
    expect(
      new Set(responses.filter(({ code }) => code !== 201).map(({ body }) => body.message.replace(/"p\d+"/, 'P'))),
    ).toEqual(new Set(['pods P is forbidden: exceeded quota: q, requested: pods=1, used: pods=7, limited: pods=7']));
    const { body } = await ask('GET', `${small}/resourcequotas/q`);
    expect(body.status.used).toEqual({ pods: '7', 'requests.cpu': '7' });
  });
});

describe('the file that configures plugins', () => {
  const started = async (text: string, ...flags: string[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'admission-'));
    const file = join(folder, 'admission.yaml');
    writeFileSync(file, text);
    writeFileSync(
      join(folder, 'selectors.yaml'),
      'podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: disk=ssd}',
    );
    try {
      const running = await startKubeApiserver({
        dataDirectory: join(folder, 'data'),
        storageBackend: 'memory',
        flags: [`--admission-control-config-file=${file}`, ...flags],
      });
      await running.stop();
      return 'started';
    } catch (error) {
      return error instanceof Error ? error.message.replaceAll(folder, '') : String(error);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';

  it.each<[string, string]>([
    [`${head}plugins: [{name: PodNodeSelector, path: selectors.yaml}]`, 'started'],
    [
      `${head}plugins: [{name: PodNodeSelector, configuration: {podNodeSelectorPluginConfig: {ns: 1}}}]`,
      `couldn't init admission plugin "PodNodeSelector": podNodeSelectorPluginConfig.ns must be a text`,
    ],
    [
      `${head}plugins: [{name: PodNodeSelector, path: missing.yaml}]`,
      "failed to read plugin config: Couldn't open admission plugin configuration /missing.yaml: open /missing.yaml: no such file or directory",
    ],
    [
      `${head}plugins: [{name: PodNodeSelector, paths: x}]`,
      'failed to read plugin config: strict decoding error: unknown field "plugins[0].paths"',
    ],
    ['kind: Other', `failed to read plugin config: Object 'apiVersion' is missing in 'kind: Other'`],
  ])('%j: %s', async (text, outcome) => {
    expect(await started(text, '--enable-admission-plugins=PodNodeSelector')).toBe(outcome);
  });
});
