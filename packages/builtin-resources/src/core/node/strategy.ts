import type { Node } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateNode, validateNodeUpdate } from './validation.js';

/**
 * A new node may include its status, as old kubelets send it. The removed config source is dropped unless the stored
 * node has one.
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

/** Strategy of the status endpoint. */
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
