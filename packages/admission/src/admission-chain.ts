import type {
  AdmissionAttributes,
  AdmissionChain,
  AdmissionOperation,
  AdmissionPlugin,
} from '@apiserver/apiserver-contracts';

/**
 * Plugins as one: each phase runs them in the order given, those only that handle the operation, and stops at the first
 * refusal.
 * Upstream: k8s.io/apiserver/pkg/admission/chain.go
 */
export function createAdmissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain {
  const mutating = byOperation(plugins.filter((plugin) => plugin.admit !== undefined));
  const validating = byOperation(plugins.filter((plugin) => plugin.validate !== undefined));
  return {
    handles: (operation) => mutating[operation].length > 0 || validating[operation].length > 0,
    async admit(attributes: AdmissionAttributes) {
      for (const plugin of mutating[attributes.operation]) await plugin.admit?.(attributes);
    },
    async validate(attributes: AdmissionAttributes) {
      for (const plugin of validating[attributes.operation]) await plugin.validate?.(attributes);
    },
  };
}

function byOperation(
  plugins: readonly AdmissionPlugin[],
): Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>> {
  const handling = (operation: AdmissionOperation) => plugins.filter((plugin) => plugin.handles(operation));
  return {
    CREATE: handling('CREATE'),
    UPDATE: handling('UPDATE'),
    DELETE: handling('DELETE'),
    CONNECT: handling('CONNECT'),
  };
}
