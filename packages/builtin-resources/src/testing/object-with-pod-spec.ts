import type { KubeObject } from '@apiserver/apimachinery';

/** The kinds with the specification of a pod. */
export const POD_KINDS: readonly string[] = [
  ...['CronJob', 'DaemonSet', 'Deployment', 'Job', 'Pod', 'PodTemplate', 'ReplicaSet', 'ReplicationController'],
  'StatefulSet',
];

/**
 * An object of a kind with pods, with these fields in the specification of the pods. It has one container by default.
 */
export function objectWithPodSpec(kind: string, fields: object): KubeObject {
  const spec = { containers: [{ name: 'c', image: 'i' }], ...fields };
  const template = { metadata: { labels: { a: 'b' } }, spec };
  const selector = { matchLabels: { a: 'b' } };
  const specs: Readonly<Record<string, object>> = {
    Pod: { spec },
    StatefulSet: { spec: { selector, template, updateStrategy: {} } },
    DaemonSet: { spec: { selector, template, updateStrategy: {} } },
    Deployment: { spec: { selector, template, strategy: {} } },
    PodTemplate: { template },
    CronJob: { spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } } },
  };
  const metadata = { name: 'a', namespace: 'ns', generation: 1 };
  return structuredClone({
    apiVersion: 'v1',
    kind,
    metadata,
    status: {},
    ...(specs[kind] ?? { spec: { selector, template } }),
  });
}
