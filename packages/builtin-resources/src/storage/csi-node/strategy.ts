import type { CSINode } from '@apiserver/api/storage/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateCSINode, validateCSINodeUpdate } from './validation.js';

/** Upstream: pkg/registry/storage/csinode/strategy.go */
export const csiNodeStrategy: Strategy<CSINode> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  validate: (_context, node) => validateCSINode(node),
  validateUpdate: (_context, node, old) => validateCSINodeUpdate(node, old),
};
