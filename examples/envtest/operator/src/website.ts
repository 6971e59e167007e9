import type { KubernetesObject, V1Condition, V1ConfigMap, V1Deployment } from '@kubernetes/client-node';

export const group = 'example.com';
export const version = 'v2';
export const plural = 'websites';

/** Pages that are served under some hosts. */
export interface Website extends KubernetesObject {
  spec: { hosts: string[]; pages?: Record<string, string> };
  status?: { observedGeneration?: number; conditions?: V1Condition[] };
}

export function placeOf({ metadata: { namespace = '', name = '' } = {} }: Website) {
  return { namespace, name };
}

/** The owner is the controller, so that the garbage collector removes what belongs to a deleted website. */
function metadataOf(site: Website) {
  const { namespace, name } = placeOf(site);
  const uid = site.metadata?.uid ?? '';
  const owner = { apiVersion: `${group}/${version}`, kind: 'Website', name, uid };
  return { namespace, name, ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] };
}

export function pagesOf(site: Website): V1ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadataOf(site), data: site.spec.pages ?? {} };
}

export function serverOf(site: Website): V1Deployment {
  const { name } = placeOf(site);
  const labels = { website: name };
  const volumeMounts = [{ name: 'pages', mountPath: '/usr/share/nginx/html' }];
  const containers = [{ name: 'nginx', image: 'nginx:1', volumeMounts }];
  const volumes = [{ name: 'pages', configMap: { name } }];
  const template = { metadata: { labels }, spec: { containers, volumes } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(site),
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  };
}

/** The conditions with a new one. The time of the last transition stays if the status of the condition does. */
export function withCondition(conditions: readonly V1Condition[], condition: V1Condition): V1Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const changed = before?.status !== condition.status;
  const next = changed ? condition : { ...condition, lastTransitionTime: before.lastTransitionTime };
  return [...conditions.filter((other) => other !== before), next];
}
