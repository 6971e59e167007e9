import type { Namespace } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { labelWithName } from './defaults.js';
import {
  validateNamespace,
  validateNamespaceFinalizeUpdate,
  validateNamespaceStatusUpdate,
  validateNamespaceUpdate,
} from './validation.js';

/** Removed by the namespace controller when the namespace is empty. */
const KUBERNETES_FINALIZER = 'kubernetes';

/** Strategy of the main endpoint, which sets neither the finalizers of the spec nor the status. */
export const namespaceStrategy: Strategy<Namespace> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(_context, namespace) {
    namespace.status = { phase: 'Active' };
    const finalizers = namespace.spec.finalizers ?? [];
    if (!finalizers.includes(KUBERNETES_FINALIZER)) {
      namespace.spec = { ...namespace.spec, finalizers: [...finalizers, KUBERNETES_FINALIZER] };
    }
  },
  validate: (_context, namespace) => validateNamespace(namespace),
  canonicalize: labelWithName,
  prepareForUpdate(_context, namespace, old) {
    namespace.spec = cloneJson(old.spec);
    namespace.status = cloneJson(old.status);
  },
  validateUpdate: (_context, namespace, old) => validateNamespaceUpdate(namespace, old),
};

/** Strategy of the status endpoint. */
export const namespaceStatusStrategy: Strategy<Namespace> = {
  ...namespaceStrategy,
  resetFields: ['spec'],
  prepareForUpdate(_context, namespace, old) {
    namespace.spec = cloneJson(old.spec);
  },
  validateUpdate: (_context, namespace, old) => validateNamespaceStatusUpdate(namespace, old),
};

/** Strategy of the finalize endpoint, which removes finalizers of the spec. */
export const namespaceFinalizeStrategy: Strategy<Namespace> = {
  ...namespaceStrategy,
  resetFields: ['status'],
  prepareForUpdate(_context, namespace, old) {
    namespace.status = cloneJson(old.status);
  },
  validateUpdate: (_context, namespace, old) => validateNamespaceFinalizeUpdate(namespace, old),
};
