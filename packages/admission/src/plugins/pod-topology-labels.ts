import type { Binding, Node, Pod } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { isResource, PODS } from '../endpoint.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { ViewReadiness } from '../view-readiness.js';

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/**
 * Copies the zone and region labels of the node to a pod that is bound to it or created on it. The pod's own labels
 * stay.
 * Upstream: plugin/pkg/admission/podtopologylabels
 */
export function podTopologyLabels({
  features,
  informer,
}: Pick<AdmissionPluginDependencies, 'features' | 'informer'>): AdmissionPlugin {
  const isEnabled = features.enabled('PodTopologyLabelsAdmission');
  const nodes = informer<Node>(NODES);
  const view = new ViewReadiness(nodes);
  return {
    name: 'PodTopologyLabels',
    handles: (operation, { resource, subresource }) =>
      isEnabled &&
      operation === 'CREATE' &&
      isResource(resource, PODS) &&
      (subresource === '' || subresource === 'binding'),
    async admit(attributes) {
      const nodeName = attributes.subresource === '' ? nodeOfPod(attributes) : targetOf(attributes);
      if (!nodeName) return;
      await view.ready(attributes);
      addLabels(admittedObject(attributes), nodes.get('', nodeName)?.metadata.labels ?? {});
    },
  };
}

function nodeOfPod(attributes: Parameters<typeof admittedObject>[0]): string | undefined {
  return admittedObject<Pod>(attributes).spec.nodeName;
}

function targetOf(attributes: Parameters<typeof admittedObject>[0]): string | undefined {
  const { target } = admittedObject<Binding>(attributes);
  return target.kind === 'Node' ? target.name : undefined;
}

/** Mutates. */
function addLabels({ metadata }: KubeObject, ofNode: Readonly<Record<string, string>>): void {
  const added = LABELS.flatMap((key) => (ofNode[key] === undefined ? [] : [[key, ofNode[key]] as const]));
  if (added.length > 0) metadata.labels = { ...Object.fromEntries(added), ...metadata.labels };
}
