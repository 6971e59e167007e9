import { Node } from '@apiserver/api/core/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { ConnectionOptions } from '../connect/connections.js';
import { withNodeConnections } from '../connect/with-connections.js';
import { nodeColumns } from './columns.js';
import { applyNodeDefaults } from './defaults.js';
import { normalizePodCIDRs } from './pod-cidrs.js';
import { nodeStatusStrategy, nodeStrategy } from './strategy.js';

/** Nodes: machines that run pods, stored under their original name of minions. Upstream: pkg/registry/core/node */
export const nodeDeclaration = defineResource<Node>({
  shortNames: ['no'],
  versions: [{ schema: Node, applyDefaults: applyNodeDefaults, normalize: normalizePodCIDRs }],
  keyPrefix: 'minions',
  strategy: nodeStrategy,
  columns: nodeColumns,
  subresources: { status: { strategy: nodeStatusStrategy } },
  selectableFieldNames: ['spec.unschedulable'],
  selectableFields: ({ spec }) => ({ 'spec.unschedulable': String(spec.unschedulable ?? false) }),
});

/** The kind for one server, with its connections to kubelets. */
export function nodes(connections: ConnectionOptions): ResourceDefinition<Node> {
  return withNodeConnections(nodeDeclaration, connections);
}
