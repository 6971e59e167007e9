import type { Container, Node, Pod } from '@apiserver/api/core/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { AdmissionAttributes, AdmissionPlugin, Informer } from '@apiserver/apiserver-contracts';
import { admittedObject, storedObject } from '../admitted-object.js';
import { isResource, PODS } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { scheduledNode } from '../pods/scheduled-node.js';
import { ViewReadiness } from '../view-readiness.js';

/** A feature that a node declares if it can carry out the update. */
interface UpdateFeature {
  readonly name: string;
  isNeeded(pod: Pod, old: Pod): boolean;
}

/**
 * The features that an update can need, in order of their names. The other features of upstream concern scheduling.
 * Upstream: AllFeatures of k8s.io/component-helpers/nodedeclaredfeatures/features/registry.go
 */
const FEATURES: readonly UpdateFeature[] = [
  {
    name: 'InPlacePodLevelResourcesVerticalScaling',
    // Absent resources differ from empty ones, as pointers do.
    isNeeded: (pod, old) => !equalJson(pod.spec.resources ?? null, old.spec.resources ?? null),
  },
  {
    name: 'InPlacePodVerticalScalingInitContainers',
    isNeeded: ({ spec }, old) =>
      (old.spec.initContainers ?? []).some(
        (container, i) =>
          !isSidecar(container) && !equalJson(container.resources ?? {}, spec.initContainers?.[i]?.resources ?? {}),
      ),
  },
];

/**
 * Refuses an update of a pod that needs features which its node does not declare.
 * Upstream: plugin/pkg/admission/nodedeclaredfeatures
 */
export function nodeDeclaredFeatureValidator({
  features,
  informer,
}: Pick<AdmissionPluginDependencies, 'features' | 'informer'>): AdmissionPlugin {
  const isEnabled = features.enabled('NodeDeclaredFeatures');
  const nodes = informer<Node>({ group: '', version: 'v1', resource: 'nodes' });
  const view = new ViewReadiness(nodes);
  return {
    name: 'NodeDeclaredFeatureValidator',
    handles: (operation, { resource, subresource }) =>
      isEnabled &&
      operation === 'UPDATE' &&
      isResource(resource, PODS) &&
      (subresource === '' || subresource === 'resize'),
    validate(attributes) {
      const needed = neededFeatures(attributes);
      if (needed.length === 0) return;
      const check = () => checkNode(attributes, nodes, needed);
      return view.ready(attributes)?.then(check) ?? check();
    },
  };
}

/**
 * The names of features that an update needs. An update that does not change the spec of a scheduled pod needs none.
 */
function neededFeatures(attributes: AdmissionAttributes): readonly string[] {
  const pod = admittedObject<Pod>(attributes);
  const old = storedObject<Pod>(attributes);
  if (!pod.spec.nodeName || old === undefined || old.metadata.generation === pod.metadata.generation) return [];
  return FEATURES.filter(({ isNeeded }) => isNeeded(pod, old)).map(({ name }) => name);
}

function checkNode(attributes: AdmissionAttributes, nodes: Informer<Node>, needed: readonly string[]): void {
  const { metadata, status } = scheduledNode(attributes, nodes);
  const missing = needed.filter((name) => !status?.declaredFeatures?.includes(name));
  if (missing.length === 0) return;
  const where = `which are not available on node ${quote(metadata.name ?? '')}`;
  throw newAdmissionForbidden(attributes, `pod update requires features ${missing.join(', ')} ${where}`);
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}
