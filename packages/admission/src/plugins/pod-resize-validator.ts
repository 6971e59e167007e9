import type { Node, Pod, PodSpec } from '@apiserver/api/core/v1';
import { StatusError } from '@apiserver/apimachinery/errors';
import { getOwn } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { type Amounts, amountsOf, Quantity } from '@apiserver/apimachinery/values';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject, storedObject } from '../admitted-object.js';
import { isResource, PODS } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { consideredSpec } from '../pods/considered-spec.js';
import { podUsageAmounts } from '../pods/pod-usage.js';
import { scheduledNode } from '../pods/scheduled-node.js';
import { ViewReadiness } from '../view-readiness.js';

const OS_LABEL = 'kubernetes.io/os';
const NONE = Quantity.of(0);

/**
 * Refuses a resize of a pod that its node can never carry out.
 * Upstream: plugin/pkg/admission/podresize
 */
export function podResizeValidator({
  informer,
  features,
}: Pick<AdmissionPluginDependencies, 'informer' | 'features'>): AdmissionPlugin {
  const considered = consideredSpec(features);
  const nodes = informer<Node>({ group: '', version: 'v1', resource: 'nodes' });
  const view = new ViewReadiness(nodes);
  return {
    name: 'PodResizeValidator',
    handles: (operation, { resource, subresource }) =>
      operation === 'UPDATE' && subresource === 'resize' && isResource(resource, PODS),
    validate(attributes) {
      const { metadata, spec } = admittedObject<Pod>(attributes);
      if (!spec.nodeName || metadata.generation === storedObject<Pod>(attributes)?.metadata.generation) return;
      const check = () => checkNode(attributes, considered(spec), scheduledNode(attributes, nodes));
      return view.ready(attributes)?.then(check) ?? check();
    },
  };
}

function checkNode(attributes: AdmissionAttributes, spec: PodSpec, { metadata, status }: Node): void {
  // A node without the label counts as one of Linux.
  const os = getOwn(metadata.labels ?? {}, OS_LABEL) ?? 'linux';
  if (os !== 'linux') {
    const fault = `pod resize is only supported on linux nodes, node ${quote(metadata.name ?? '')} is ${quote(os)}`;
    throw forbiddenBecause(attributes, 'UnsupportedPlatform', fault);
  }
  const lacking = lackingResources({ ...admittedObject<Pod>(attributes), spec }, amountsOf(status?.allocatable));
  if (lacking.length === 0) return;
  const fault = `node didn't have enough allocatable resources: ${lacking.join('; ')}`;
  throw forbiddenBecause(attributes, 'NodeCapacity', fault);
}

/**
 * Describes what the pod requests beyond the allocatable amounts: cpu in thousandths, memory in bytes. The status of
 * the pod does not count.
 */
function lackingResources(pod: Pod, allocatable: Amounts): readonly string[] {
  const requests = podUsageAmounts({ ...pod, status: {} }, 'requests', ['cpu', 'memory']);
  const units: readonly [string, (amount: Quantity) => bigint][] = [
    ['cpu', (amount) => amount.milliValue()],
    ['memory', (amount) => amount.value()],
  ];
  return units.flatMap(([name, unit]) => {
    const [requested, available] = [requests.get(name) ?? NONE, allocatable.get(name) ?? NONE];
    if (requested.compare(available) <= 0) return [];
    return [`${name}, requested: ${unit(requested)}, allocatable: ${unit(available)}`];
  });
}

/** A 403 with a cause that clients read: an autoscaler does not try the resize again. */
function forbiddenBecause(attributes: AdmissionAttributes, reason: string, fault: string): StatusError {
  const { status } = newAdmissionForbidden(attributes, fault);
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}
