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
      'evaluations: allow privileged latest enforce create pod = 0',
      'evaluations: allow privileged latest enforce update pod = 0',
      'exemptions: create pod = 0',
      'exemptions: update pod = 0',
      'exemptions: create controller = 0',
      'exemptions: update controller = 0',
    ]);
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
      'errors: true create pod = 1',
      'errors: false create controller = 1',
      'evaluations: allow privileged latest enforce create pod = 1',
      'evaluations: allow privileged latest enforce update pod = 1',
      'evaluations: allow baseline v1.36 enforce create pod = 1',
      'evaluations: deny restricted future audit create pod = 2',
      'evaluations: deny baseline v1.36 enforce create pod = 1',
      'evaluations: allow baseline v1.36 enforce update pod resize = 1',
      'evaluations: deny restricted future audit update pod resize = 1',
      'evaluations: deny restricted latest warn create controller = 1',
      'exemptions: create pod = 1',
      'exemptions: create controller = 1',
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
