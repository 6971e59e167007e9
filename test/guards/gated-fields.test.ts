import { describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, object, paths, pod } from './objects.ts';

const AUTOSCALERS = paths.inGroup('autoscaling', 'default', 'horizontalpodautoscalers').replace('/v1/', '/v2/');
const DEPLOYMENTS = paths.inGroup('apps', 'default', 'deployments');
const PODS = paths.in('default', 'pods');
const VOLUMES = '/api/v1/persistentvolumes';
const CLAIMS = paths.in('default', 'persistentvolumeclaims');

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const external = { metric: { name: 'm' }, target: { type: 'Value', value: '1' } };
const autoscaler = object('autoscaling/v2', 'HorizontalPodAutoscaler', 'a', {
  spec: { scaleTargetRef, minReplicas: 0, maxReplicas: 2, metrics: [{ type: 'External', external }] },
});

/** A Deployment whose pods have these fields. */
function deployment(name: string, spec: object): object {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  return object('apps/v1', 'Deployment', name, { spec: { selector: { matchLabels: labels }, template } });
}

const stopping = deployment('stopping', {
  os: { name: 'linux' },
  containers: [{ name: 'c', image: 'i', lifecycle: { stopSignal: 'SIGUSR1' } }],
});
const tolerating = pod('tolerating', { tolerations: [{ key: 'k', operator: 'Gt', value: '5' }] });
const named = pod('named', { hostnameOverride: 'other' });
const affinity = (zone: string) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
});
const volume = core('PersistentVolume', 'v', {
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'd', volumeHandle: 'h' },
    nodeAffinity: affinity('a'),
  },
});
const claim = core('PersistentVolumeClaim', 'c', {
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'x',
    dataSourceRef: { kind: 'PersistentVolumeClaim', name: 's', namespace: 'other' },
  },
});

/** The codes of creations and of one update, and the fields that the server keeps. */
async function seen(server: ReturnType<typeof assembledServer>): Promise<object> {
  const scaled = await server.ask('POST', AUTOSCALERS, autoscaler);
  const template = (await server.make(DEPLOYMENTS, stopping)).spec.template.spec;
  const tolerated = await server.ask('POST', PODS, tolerating);
  const { spec } = await server.make(PODS, named);
  const made = await server.make(VOLUMES, volume);
  made.spec.nodeAffinity = affinity('b');
  const moved = await server.ask('PUT', `${VOLUMES}/v`, made);
  const claimed = await server.make(CLAIMS, claim);
  return {
    codes: [scaled.code, tolerated.code, moved.code],
    signal: template.containers[0].lifecycle?.stopSignal,
    hostname: spec.hostnameOverride,
    source: claimed.spec.dataSourceRef?.namespace,
  };
}

describe('gates of fields and rules', () => {
  const switched = [
    ...['ContainerStopSignals', 'CrossNamespaceVolumeDataSource', 'HPAScaleToZero', 'MutablePVNodeAffinity'],
    'TaintTolerationComparisonOperators',
  ].map((name) => `${name}=true`);
  const admission = '--disable-admission-plugins=ServiceAccount';
  const byDefault = assembledServer(admission);
  const other = assembledServer(admission, `--feature-gates=${switched.join(',')},HostnameOverride=false`);

  it('have the defaults of 1.36', async () =>
    expect(await seen(byDefault)).toEqual({
      codes: [422, 422, 422],
      signal: undefined,
      hostname: 'other',
      source: undefined,
    }));

  it('can be switched', async () =>
    expect(await seen(other)).toEqual({
      codes: [201, 201, 200],
      signal: 'SIGUSR1',
      hostname: undefined,
      source: 'other',
    }));
});
