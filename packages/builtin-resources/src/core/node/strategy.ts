import type { Node } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { type DropDisabledFields, droppingFields, gatedFields } from '../../gated-fields.js';
import { validateNode, validateNodeUpdate } from './validation.js';

const DECLARED_FEATURES = gatedFields<Node>('status.declaredFeatures');

/**
 * A new node may include its status, as old kubelets send it. The removed config source is dropped unless the stored
 * node has one. So are declared features while NodeDeclaredFeatures is off.
 * Upstream: pkg/registry/core/node/strategy.go
 */
export function nodeStrategy(features: FeatureGates): Strategy<Node> {
  const strict = features.enabled('StrictIPCIDRValidation');
  const dropDisabled = disabledFieldsDropper(features);
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    resetFields: ['status'],
    prepareForCreate(_context, node) {
      delete node.spec.configSource;
      delete node.status.config;
      dropDisabled(node, undefined);
    },
    validate: (_context, node) => validateNode(node, strict),
    warningsOnCreate: (_context, node) => warnings(node),
    prepareForUpdate(_context, node, old) {
      node.status = cloneJson(old.status);
      if (old.spec.configSource === undefined) delete node.spec.configSource;
    },
    validateUpdate: (_context, node, old) => [...validateNode(node, strict), ...validateNodeUpdate(node, old)],
    warningsOnUpdate: (_context, node) => warnings(node),
  };
}

/** Strategy of the status endpoint. `main` is that of the main endpoint. */
export function nodeStatusStrategy(main: Strategy<Node>, features: FeatureGates): Strategy<Node> {
  const dropDisabled = disabledFieldsDropper(features);
  return {
    ...main,
    resetFields: ['spec'],
    prepareForUpdate(_context, node, old) {
      node.spec = cloneJson(old.spec);
      if (old.status.config === undefined) delete node.status.config;
      dropDisabled(node, old);
    },
    validateUpdate: (_context, node, old) => validateNodeUpdate(node, old),
  };
}

function disabledFieldsDropper(features: FeatureGates): DropDisabledFields<Node> {
  return droppingFields(features.enabled('NodeDeclaredFeatures') ? [] : [DECLARED_FEATURES]);
}

function warnings({ spec }: Node): readonly string[] {
  return [
    ...(spec.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(spec.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
  ];
}
