import type { KubeObject } from '@apiserver/apimachinery';
import type { Random } from '../watch/random.ts';

const TIMES = ['2024-02-29T01:02:03Z', '1970-01-01T00:00:00Z', '2023-12-31T23:59:59+05:30'] as const;

/** Each of the fields with the given probability. */
function some(random: Random, fields: object, probability = 0.5): object {
  return Object.fromEntries(Object.entries(fields).filter(() => random.chance(probability)));
}

/** A pod with a few fields of many types, for policies. It need not be valid. */
export function randomPod(random: Random, head: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): KubeObject {
  const { metadata, ...type } = head;
  return {
    ...type,
    metadata: {
      ...metadata,
      ...some(random, { creationTimestamp: random.of(TIMES), deletionTimestamp: TIMES[0] }, 0.3),
    },
    spec: {
      containers: Array.from({ length: 1 + random.below(2) }, (_, index) => randomContainer(random, index)),
      ...some(random, {
        nodeName: 'n',
        priority: random.below(10),
        hostNetwork: random.chance(0.5),
        restartPolicy: random.of(['Always', 'Never']),
        nodeSelector: { disk: 'ssd' },
        securityContext: some(random, { runAsUser: random.below(3), fsGroup: 5, sysctls: [{ name: 'a', value: 'b' }] }),
        tolerations: [some(random, { key: 'k', operator: 'Exists', tolerationSeconds: 5 })],
        volumes: [
          { name: 'v', ...(random.chance(0.5) ? { hostPath: { path: '/' } } : { emptyDir: { sizeLimit: '1.5Gi' } }) },
        ],
        overhead: { cpu: random.of(['100m', '0.1', '1e3']) },
        affinity: { nodeAffinity: {} },
        terminationGracePeriodSeconds: 30,
      }),
    },
    ...some(random, { status: some(random, { phase: 'Running', startTime: random.of(TIMES), conditions: [] }) }),
  } as unknown as KubeObject;
}

function randomContainer(random: Random, index: number): object {
  const amounts = () =>
    some(random, { cpu: random.of(['1', '100m', '0.5']), memory: random.of(['1Gi', '1500Mi', '1e9']) });
  return {
    name: `c${index}`,
    ...some(random, {
      image: random.of(['a', 'registry.example/a:1', '']),
      ports: [{ containerPort: 80, ...some(random, { name: 'web', protocol: 'UDP', hostPort: 1 }) }],
      env: [{ name: 'A', ...some(random, { value: 'x', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }) }],
      resources: some(random, { limits: amounts(), requests: amounts() }),
      livenessProbe: some(
        random,
        { httpGet: { path: '/', port: random.of<number | string>([80, 'web']) }, periodSeconds: 3 },
        0.8,
      ),
      securityContext: some(random, { privileged: true, runAsUser: 0 }),
      command: ['sh', '-c', ''],
    }),
  };
}

/** A service with a few fields of many types, for policies. It need not be valid. */
export function randomService(random: Random, head: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>): KubeObject {
  const port = () => ({
    port: 80 + random.below(3),
    ...some(random, {
      name: random.of(['web', 'dns']),
      targetPort: random.of<number | string>([80, 'web', 0]),
      nodePort: 30_000,
      protocol: 'TCP',
    }),
  });
  return {
    ...head,
    spec: some(random, {
      ports: Array.from({ length: random.below(3) }, port),
      type: random.of(['ClusterIP', 'LoadBalancer']),
      selector: { app: random.of(['x', '']) },
      clusterIP: random.of(['None', '10.0.0.1', 'fd00::1']),
      clusterIPs: ['10.0.0.1'],
      externalIPs: [random.of(['1.2.3.4', '::1'])],
      allocateLoadBalancerNodePorts: random.chance(0.5),
      sessionAffinityConfig: { clientIP: some(random, { timeoutSeconds: 5 }) },
    }),
    ...some(random, { status: { loadBalancer: some(random, { ingress: [{ ip: '1.2.3.4' }] }) } }),
  } as unknown as KubeObject;
}
