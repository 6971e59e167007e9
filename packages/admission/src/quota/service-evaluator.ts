import type { Service } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Amounts } from '@apiserver/apimachinery/values';
import { Quantity } from '@apiserver/apimachinery/values';
import type { QuotaEvaluator } from './quota-evaluator.js';

const NAMES = ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'];

/** Counts services, their node ports and their load balancers. Upstream: pkg/quota/v1/evaluator/core/services.go */
export const serviceEvaluator: QuotaEvaluator = {
  // An update can change the type.
  handles: ({ operation }) => operation === 'CREATE' || operation === 'UPDATE',
  counts: (name) => NAMES.includes(name),
  usage,
  matchesScope: () => false,
  constraintFault: () => undefined,
};

function usage(object: KubeObject): Amounts {
  const { spec } = object as Service;
  const loadBalancers = spec.type === 'LoadBalancer' ? 1 : 0;
  return new Map([
    ['count/services', Quantity.of(1)],
    ['services', Quantity.of(1)],
    ['services.nodeports', Quantity.of(nodePorts(spec))],
    ['services.loadbalancers', Quantity.of(loadBalancers)],
  ]);
}

/** A load balancer gets node ports unless it opts out; explicit node ports always count. */
function nodePorts({ type, ports = [], allocateLoadBalancerNodePorts = true }: Service['spec']): number {
  if (type === 'NodePort') return ports.length;
  if (type !== 'LoadBalancer') return 0;
  return allocateLoadBalancerNodePorts ? ports.length : ports.filter(({ nodePort }) => nodePort).length;
}
