import type { Kubectl } from '../harness/kubectl.ts';

interface Deployment {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number };
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly metadata: { readonly labels: Readonly<Record<string, string>> } };
  };
}

/**
 * Plays the deployment controller for the present template of a Deployment: a ReplicaSet of that revision, and a status
 * of a complete rollout. kubectl's rollout commands read nothing else.
 */
export async function rollOut(kubectl: Kubectl, name: string, revision: number): Promise<void> {
  await kubectl.ok(['annotate', '--overwrite', 'deployment', name, `deployment.kubernetes.io/revision=${revision}`]);
  // Read now: an annotation of a Deployment counts its generation on.
  const deployment: Deployment = JSON.parse(await kubectl.ok(['get', 'deployment', name, '-o', 'json']));
  await kubectl.ok(['create', '-f', '-'], JSON.stringify(replicaSetOf(deployment, revision)));
  const { replicas } = deployment.spec;
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
  const conditions = [
    { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'played' },
    { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message: 'played' },
  ];
  const status = { observedGeneration: deployment.metadata.generation, ...counts, conditions };
  const patch = JSON.stringify({ status });
  await kubectl.ok(['patch', 'deployment', name, '--subresource=status', '--type=merge', '-p', patch]);
}

function replicaSetOf({ metadata, spec }: Deployment, revision: number) {
  const { name, uid } = metadata;
  const labels = { ...spec.template.metadata.labels, 'pod-template-hash': `rev${revision}` };
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-rev${revision}`,
      labels,
      annotations: { 'deployment.kubernetes.io/revision': `${revision}` },
      ownerReferences: [owner],
    },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}
