import type { Node } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateNode, validateNodeUpdate } from './validation.js';

/**
 * A node may bring its status along when it is created: kubelets of old did. The configuration by a config map is gone,
 * and taken away where the stored node has none.
 * Upstream: pkg/registry/core/node/strategy.go
 */
export const nodeStrategy: Strategy<Node> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(_context, node) {
    delete node.spec.configSource;
    delete node.status.config;
  },
  validate: (_context, node) => validateNode(node),
  warningsOnCreate: (_context, node) => warnings(node),
  prepareForUpdate(_context, node, old) {
    node.status = cloneJson(old.status);
    if (old.spec.configSource === undefined) delete node.spec.configSource;
  },
  validateUpdate: (_context, node, old) => [...validateNode(node), ...validateNodeUpdate(node, old)],
  warningsOnUpdate: (_context, node) => warnings(node),
};

/** Rules of the status endpoint. */
export const nodeStatusStrategy: Strategy<Node> = {
  ...nodeStrategy,
  resetFields: ['spec'],
  prepareForUpdate(_context, node, old) {
    node.spec = cloneJson(old.spec);
    if (old.status.config === undefined) delete node.status.config;
  },
  validateUpdate: (_context, node, old) => validateNodeUpdate(node, old),
};

function warnings({ spec }: Node): readonly string[] {
  return [
    ...(spec.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(spec.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
  ];
}
