import type { KubeObject } from '@apiserver/apimachinery';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { describe, expect, it } from 'vitest';
import { objectAttributes, runPlugin, type TestObjects, testPluginDependencies } from '../../testing/index.js';
import { container, namespace, pod } from '../../testing/sample-objects.js';
import { podSecurity } from './pod-security.js';

const CONFIGURATION = {
  apiVersion: 'pod-security.admission.config.k8s.io/v1',
  kind: 'PodSecurityConfiguration',
  exemptions: { usernames: ['root'], namespaces: ['exempt'], runtimeClasses: ['vm'] },
};

function labelled(labels: Record<string, string>, name = 'ns'): KubeObject {
  const prefixed = Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]);
  return { ...namespace(), metadata: { name, labels: Object.fromEntries(prefixed) } };
}

/** Runs requests through one plugin, and returns its metrics. */
async function metricsOf(objects: TestObjects, ...requests: readonly ReturnType<typeof objectAttributes>[]) {
  const metrics = new MetricsRegistry();
  const plugin = podSecurity(testPluginDependencies(objects, { configuration: CONFIGURATION, metrics }));
  for (const attributes of requests) await runPlugin(plugin, attributes);
  const { text } = await metrics.expose();
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^pod_security_(\w+)_total\{(.*)\} (\d+)$/.exec(line) ?? [];
    const values = [...labels.matchAll(/="([^"]+)"/g)].map(([, label]) => label);
    return name === undefined ? [] : `${name}: ${values.join(' ')} = ${value}`;
  });
}

describe('metrics of PodSecurity', () => {
  it('show the series of frequent requests from the start', async () => {
    expect(await metricsOf({})).toEqual([
      'evaluations: allow enforce privileged latest create pod = 0',
      'evaluations: allow enforce privileged latest update pod = 0',
      'exemptions: create controller = 0',
      'exemptions: create pod = 0',
      'exemptions: update controller = 0',
      'exemptions: update pod = 0',
    ]);
  });

  it('have help texts', async () => {
    const metrics = new MetricsRegistry();
    podSecurity(testPluginDependencies({}, { metrics }));
    const { text } = await metrics.expose();
    expect(text.split('\n').filter((line) => line.startsWith('# HELP'))).toEqual(
      expect.arrayContaining([
        '# HELP pod_security_evaluations_total [ALPHA] Evaluations of pods and pod templates by a policy; exempt requests are not counted.',
        '# HELP pod_security_exemptions_total [ALPHA] Requests that are exempt from policies.',
      ]),
    );
  });

  it('count decisions of each mode, errors and exemptions by request', async () => {
    const objects = {
      namespaces: [
        labelled({ enforce: 'baseline', 'enforce-version': 'v1.36', audit: 'restricted', 'audit-version': 'v1.37' }),
        labelled({ warn: 'restricted', audit: 'bad' }, 'warn'),
        labelled({}, 'free'),
        labelled({}, 'exempt'),
      ],
    };
    const job = (name: string) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace: name },
      spec: { template: pod() },
    });
    const added = await metricsOf(
      objects,
      objectAttributes('pods', pod()),
      objectAttributes('pods', pod({ hostIPC: true })),
      objectAttributes('pods/resize', pod(), { oldObject: pod({ containers: [container({ image: 'old' })] }) }),
      objectAttributes('pods', pod({}, { namespace: 'free' })),
      objectAttributes('pods', pod({}, { namespace: 'free' }), { oldObject: pod({}, { namespace: 'free' }) }),
      objectAttributes('pods', pod({}, { namespace: 'exempt' })),
      objectAttributes('pods', pod({}, { namespace: 'missing' })),
      objectAttributes('jobs.batch', job('warn')),
      objectAttributes('jobs.batch', job('exempt')),
    );
    expect(added.filter((line) => !line.endsWith(' 0'))).toEqual([
      'errors: false create controller = 1',
      'errors: true create pod = 1',
      'evaluations: allow enforce baseline v1.36 create pod = 1',
      'evaluations: allow enforce baseline v1.36 update pod resize = 1',
      'evaluations: allow enforce privileged latest create pod = 1',
      'evaluations: allow enforce privileged latest update pod = 1',
      'evaluations: deny audit restricted future create pod = 2',
      'evaluations: deny audit restricted future update pod resize = 1',
      'evaluations: deny enforce baseline v1.36 create pod = 1',
      'evaluations: deny warn restricted latest create controller = 1',
      'exemptions: create controller = 1',
      'exemptions: create pod = 1',
    ]);
  });
});

describe('the lookup of a namespace', () => {
  it('asks the API for one that the informer lacks', async () => {
    const objects: TestObjects = { namespaces: [] };
    const dependencies = testPluginDependencies(objects);
    const plugin = podSecurity({
      ...dependencies,
      client: testPluginDependencies({ namespaces: [labelled({ enforce: 'baseline' })] }).client,
    });
    expect(await runPlugin(plugin, objectAttributes('pods', pod({ hostPID: true })))).toEqual({
      refused: 'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    });
  });
});

it('evaluates a pod of many containers by one policy in a turn of the event loop', async () => {
  const containers = Array.from({ length: 1000 }, (_, i) => container({ name: `c${i}` }));
  const objects = { namespaces: [labelled({ audit: 'restricted', warn: 'baseline' })] };
  const plugin = podSecurity(testPluginDependencies(objects));
  let turns = 0;
  const immediate = () => {
    turns++;
    next = setImmediate(immediate);
  };
  let next = setImmediate(immediate);
  const annotations: string[] = [];
  const addAnnotation = (key: string) => {
    annotations.push(key);
    return undefined;
  };
  await plugin.validate?.(objectAttributes('pods', pod({ containers }), { addAnnotation }));
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(annotations).toEqual([
    'pod-security.kubernetes.io/enforce-policy',
    'pod-security.kubernetes.io/audit-violations',
  ]);
});

describe('decisions of PodSecurity', () => {
  const objects: TestObjects = {
    namespaces: [
      labelled({ enforce: 'baseline', 'enforce-version': 'v1.30', audit: 'restricted', warn: 'baseline' }),
      labelled({ enforce: 'x' }, 'broken'),
      labelled({ warn: 'baseline', 'warn-version': 'v1.20' }, 'warned'),
      labelled({}, 'exempt'),
    ],
    pods: [pod({ hostPID: true }, { namespace: 'ns' }), pod({ hostPID: true, runtimeClassName: 'vm' }, { name: 'q' })],
  };
  const good = pod({
    containers: [container({ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } })],
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  });
  const inNamespace = (namespace: string) => ({ ...pod({ hostPID: true }), metadata: { name: 'p', namespace } });
  const template = (namespace: string, spec: object) => ({
    apiVersion: 'v1',
    kind: 'Any',
    metadata: { name: 'w', namespace },
    ...spec,
  });
  const violation = (level: string) => `PodSecurity "${level}": host namespaces (hostPID=true)`;
  const unrestricted = { 'enforce-policy': 'privileged:latest' };
  const relabelled = (labels: Record<string, string>, old: Record<string, string>, name = 'ns') =>
    objectAttributes('namespaces', labelled(labels, name), { oldObject: labelled(old, name), namespace: name });
  const existing = [
    'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
    'p: host namespaces',
  ];
  const invalid = (value: string) =>
    `Namespace "ns" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "${value}": must be one of privileged, baseline, restricted`;

  /** The refusal, the warnings and the annotations. */
  async function decision(attributes: ReturnType<typeof objectAttributes>) {
    const plugin = podSecurity(testPluginDependencies(objects, { configuration: CONFIGURATION }));
    const warnings: string[] = [];
    const annotations: Record<string, string> = {};
    const outcome = await runPlugin(plugin, {
      ...attributes,
      warnings: { warn: (text) => warnings.push(text) },
      addAnnotation: (key, value) => {
        annotations[key.replace('pod-security.kubernetes.io/', '')] = value;
        return undefined;
      },
    });
    return { refused: 'refused' in outcome ? outcome.refused : undefined, warnings, annotations };
  }

  it.each<[string, ReturnType<typeof objectAttributes>, Partial<Awaited<ReturnType<typeof decision>>>]>([
    ['a good pod', objectAttributes('pods', good), { annotations: { 'enforce-policy': 'baseline:v1.30' } }],
    [
      'a bad pod: no warning beside the refusal',
      objectAttributes('pods', inNamespace('ns')),
      {
        refused: `pods "p" is forbidden: violates ${violation('baseline:v1.30')}`,
        annotations: {
          'enforce-policy': 'baseline:v1.30',
          'audit-violations': expect.stringMatching(
            /^would violate PodSecurity "restricted:latest": host namespaces \(hostPID=true\), allow/,
          ),
        },
      },
    ],
    [
      'a subresource without a specification',
      objectAttributes('pods/status', inNamespace('ns'), { oldObject: good }),
      {},
    ],
    ['an update that cannot matter', objectAttributes('pods', inNamespace('ns'), { oldObject: good }), {}],
    [
      'a namespace with a bad label',
      objectAttributes('pods', { ...good, metadata: { name: 'p', namespace: 'broken' } }),
      {
        annotations: {
          'enforce-policy': 'restricted:latest',
          error:
            'Failed to parse policy: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
        },
      },
    ],
    [
      'a policy that only warns',
      objectAttributes('pods', inNamespace('warned')),
      { warnings: [`would violate ${violation('baseline:v1.20')}`], annotations: unrestricted },
    ],
    ['an exempt namespace', objectAttributes('pods', inNamespace('exempt')), { annotations: { exempt: 'namespace' } }],
    [
      'an exempt user',
      objectAttributes('pods', inNamespace('ns'), { user: { name: 'root', uid: '', groups: [], extra: {} } }),
      { annotations: { exempt: 'user' } },
    ],
    [
      'an exempt runtime class',
      objectAttributes('pods', pod({ hostPID: true, runtimeClassName: 'vm' })),
      { annotations: { exempt: 'runtimeClass' } },
    ],
    [
      'a missing namespace',
      objectAttributes('pods', inNamespace('none')),
      {
        refused: 'Internal error occurred: failed to lookup namespace "none"',
        annotations: {
          error: 'Internal error occurred: failed to lookup namespace "none": namespaces "none" not found',
        },
      },
    ],
    [
      'a workload in a missing namespace',
      objectAttributes('jobs.batch', template('none', { spec: { template: pod() } })),
      { annotations: { error: 'failed to lookup namespace "none": namespaces "none" not found' } },
    ],
    ...(
      [
        ['deployments.apps', { spec: { template: pod({ hostPID: true }) } }],
        ['daemonsets.apps', { spec: { template: pod({ hostPID: true }) } }],
        ['replicasets.apps', { spec: { template: pod({ hostPID: true }) } }],
        ['statefulsets.apps', { spec: { template: pod({ hostPID: true }) } }],
        ['replicationcontrollers', { spec: { template: pod({ hostPID: true }) } }],
        ['podtemplates', { template: pod({ hostPID: true }) }],
        ['jobs.batch', { spec: { template: pod({ hostPID: true }) } }],
        ['cronjobs.batch', { spec: { jobTemplate: { spec: { template: pod({ hostPID: true }) } } } }],
      ] as const
    ).map(([resource, spec]): [string, ReturnType<typeof objectAttributes>, object] => [
      `a template of ${resource}`,
      objectAttributes(resource, template('warned', spec)),
      { warnings: [`would violate ${violation('baseline:v1.20')}`] },
    ]),
    [
      'a controller without a template',
      objectAttributes('replicationcontrollers', template('warned', { spec: {} })),
      {},
    ],
    [
      'the scale of a workload',
      objectAttributes('deployments.apps/scale', template('warned', { spec: { template: pod({ hostPID: true }) } })),
      {},
    ],
    ['a new namespace', objectAttributes('namespaces', labelled({ enforce: 'baseline' }), { namespace: 'ns' }), {}],
    [
      'a new namespace with a bad label',
      objectAttributes('namespaces', labelled({ enforce: 'y' })),
      { refused: invalid('y') },
    ],
    ['a stricter namespace', relabelled({ enforce: 'baseline' }, {}), { warnings: existing }],
    [
      'another version',
      relabelled({ enforce: 'baseline' }, { enforce: 'restricted', 'enforce-version': 'v1.30' }),
      { warnings: existing },
    ],
    ['the same level', relabelled({ enforce: 'baseline', warn: 'baseline' }, { enforce: 'baseline' }), {}],
    ['a laxer level', relabelled({ enforce: 'baseline' }, { enforce: 'restricted' }), {}],
    ['no level', relabelled({}, { enforce: 'restricted' }), {}],
    ['a new bad label', relabelled({ enforce: 'y' }, { enforce: 'baseline' }), { refused: invalid('y') }],
    ['another bad label', relabelled({ enforce: 'y' }, { enforce: 'z' }), { refused: invalid('y') }],
    ['the same bad label', relabelled({ enforce: 'y', team: 'a' }, { enforce: 'y' }), {}],
    [
      'a label of an exempt namespace',
      relabelled({ enforce: 'baseline', 'audit-version': 'v1.20', warn: 'restricted' }, {}, 'exempt'),
      {
        warnings: [
          'namespace "exempt" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=restricted:latest) will be ignored',
        ],
      },
    ],
  ])('%s', async (_, attributes, expected) => {
    expect(await decision(attributes)).toEqual({ refused: undefined, warnings: [], annotations: {}, ...expected });
  });
});

it('sees pods with their subresources that have a specification, namespaces, and workloads', () => {
  const plugin = podSecurity(testPluginDependencies());
  const handled = (resource: string, operation: 'CREATE' | 'UPDATE' | 'DELETE' = 'UPDATE') => {
    const { scope, subresource } = objectAttributes(resource, pod());
    return plugin.handles(operation, { ...scope, subresource });
  };
  const subresources = ['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status'];
  expect([
    ...subresources.map((name) => handled(`pods/${name}`)),
    ...['pods', 'pods/ephemeralcontainers', 'pods/resize', 'namespaces', 'deployments.apps'].map((name) =>
      handled(name),
    ),
    ...['namespaces/status', 'namespaces/finalize', 'deployments.apps/status', 'nodes', 'deployments', 'jobs.apps'].map(
      (name) => handled(name),
    ),
    ...['constructor', 'toString.apps', 'jobs.constructor'].map((name) => handled(name)),
    handled('pods', 'CREATE'),
    handled('pods', 'DELETE'),
  ]).toEqual([
    ...subresources.map(() => false),
    ...[true, true, true, true, true],
    ...[false, false, false, false, false, false],
    ...[false, false, false],
    true,
    false,
  ]);
});
