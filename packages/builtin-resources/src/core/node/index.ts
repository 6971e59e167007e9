import { Node } from '@apiserver/api/core/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { ConnectionOptions } from '../connect/connections.js';
import { withNodeConnections } from '../connect/with-connections.js';
import { nodeColumns } from './columns.js';
import { applyNodeDefaults } from './defaults.js';
import { normalizePodCIDRs } from './pod-cidrs.js';
import { nodeStatusStrategy, nodeStrategy } from './strategy.js';

/** Nodes: machines that run pods, stored under their original name of minions. Upstream: pkg/registry/core/node */
export function nodeDeclaration(features: FeatureGates): ResourceDefinition<Node> {
  const strategy = nodeStrategy(features);
  return defineResource<Node>({
    shortNames: ['no'],
    versions: [{ schema: Node, applyDefaults: applyNodeDefaults, normalize: normalizePodCIDRs }],
    keyPrefix: 'minions',
    strategy,
    columns: nodeColumns,
    subresources: { status: { strategy: nodeStatusStrategy(strategy, features) } },
    selectableFieldNames: ['spec.unschedulable'],
    selectableFields: ({ spec }) => ({ 'spec.unschedulable': String(spec.unschedulable ?? false) }),
  });
}

/** The kind for one server, with its connections to kubelets. */
export function nodes(connections: ConnectionOptions, features: FeatureGates): ResourceDefinition<Node> {
  return withNodeConnections(nodeDeclaration(features), connections);
}
