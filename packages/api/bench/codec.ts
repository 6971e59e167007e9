// Codec speed against the native JSON functions: node --conditions=@apiserver/source packages/api/bench/codec.ts
// Prints microseconds per operation; compare figures of one run only.

import { ConfigMap, Pod } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';

const podJson = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: 'web-7d4b9c6f5-x2x9k',
    namespace: 'default',
    uid: '3f0e6c5e-8f38-4b36-9f5f-5f8a4f4d1c11',
    resourceVersion: '183422',
    creationTimestamp: '2026-01-20T10:11:12Z',
    labels: { app: 'web', 'pod-template-hash': '7d4b9c6f5', tier: 'front' },
    annotations: { 'example.com/owner': 'team-a', 'example.com/revision': '17' },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web-7d4b9c6f5',
        uid: 'c0a1',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: {
    volumes: [
      {
        name: 'token',
        projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }], defaultMode: 420 },
      },
    ],
    containers: ['web', 'sidecar', 'metrics'].map((name, i) => ({
      name,
      image: `registry.example.com/${name}:1.2.${i}`,
      args: ['--port=8080', '--verbose', `--name=${name}`],
      ports: [{ name: 'http', containerPort: 8080 + i, protocol: 'TCP' }],
      env: Array.from({ length: 6 }, (_, n) => ({ name: `SETTING_${n}`, value: `value of setting ${n}` })),
      resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
      volumeMounts: [{ name: 'token', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
      livenessProbe: {
        httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'IfNotPresent',
    })),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    nodeName: 'node-1',
    securityContext: {},
    schedulerName: 'default-scheduler',
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    priority: 0,
    enableServiceLinks: true,
  },
  status: {
    phase: 'Running',
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-01-20T10:11:15Z',
    })),
    hostIP: '10.0.0.1',
    podIP: '10.1.0.17',
    startTime: '2026-01-20T10:11:12Z',
    qosClass: 'Burstable',
  },
};

const configMapJson = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'settings', namespace: 'default', labels: { app: 'web' } },
  data: { 'config.yaml': 'line of text\n'.repeat(60), mode: 'fast' },
};

function measure(name: string, run: () => unknown): void {
  const until = (deadline: number) => {
    let runs = 0;
    while (performance.now() < deadline) for (let i = 0; i < 50; i++, runs++) run();
    return runs;
  };
  until(performance.now() + 200);
  const begun = performance.now();
  const runs = until(begun + 300);
  process.stdout.write(
    `${name.padEnd(34)} ${(((performance.now() - begun) * 1000) / runs).toFixed(2).padStart(8)} µs\n`,
  );
}

function bench(name: string, kind: KindSchema<unknown>, value: object): void {
  const text = JSON.stringify(value);
  const bytes = Buffer.from(text);
  const codec = compileKind(kind);
  const { object } = codec.decodeJson(bytes, 'Warn');
  const protobuf = codec.encodeProtobuf(object);
  process.stdout.write(`${name}: ${bytes.length} bytes of JSON, ${protobuf.length} of protobuf\n`);
  measure('  JSON.parse', () => JSON.parse(bytes.toString('utf8')));
  measure('  decodeJson', () => codec.decodeJson(bytes, 'Warn'));
  measure('  JSON.stringify', () => Buffer.from(JSON.stringify(object)));
  measure('  encodeJson', () => codec.encodeJson(object));
  measure('  decodeProtobuf', () => codec.decodeProtobuf(protobuf));
  measure('  encodeProtobuf', () => codec.encodeProtobuf(object));
  measure('  normalize', () => codec.normalize(object));
  measure('  encodeYaml', () => codec.encodeYaml(object));
}

bench('ConfigMap', ConfigMap, configMapJson);
bench('Pod', Pod, podJson);
