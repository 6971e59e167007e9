import type { Node } from '@apiserver/api/core/v1';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { handlesMain } from '../endpoint.js';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/**
 * Taints a new node, so that no pod is scheduled on it before its conditions are known.
 * Upstream: plugin/pkg/admission/nodetaint
 */
export function taintNodesByCondition(): AdmissionPlugin {
  return {
    name: 'TaintNodesByCondition',
    handles: handlesMain({ group: '', resource: 'nodes' }, 'CREATE'),
    admit(attributes) {
      const { spec } = admittedObject<Node>(attributes);
      const taints = spec.taints ?? [];
      if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return;
      spec.taints = [...taints, { ...NOT_READY }];
    },
  };
}
