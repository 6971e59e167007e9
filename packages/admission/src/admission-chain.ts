import type {
  AdmissionAttributes,
  AdmissionChain,
  AdmissionEndpoint,
  AdmissionOperation,
  AdmissionPlugin,
  RequestScope,
} from '@apiserver/apiserver-contracts';

/** The plugins that look at one endpoint, for each operation. */
interface EndpointPlugins {
  readonly mutating: Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>>;
  readonly validating: Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>>;
}

/**
 * Plugins as one: each phase runs them in the order given, those only that look at the request, and stops at the first
 * refusal. Which these are is worked out once for each endpoint.
 * Upstream: k8s.io/apiserver/pkg/admission/chain.go
 */
export function createAdmissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain {
  const mutating = plugins.filter((plugin) => plugin.admit !== undefined);
  const validating = plugins.filter((plugin) => plugin.validate !== undefined);
  /** Weak, because the endpoints of custom resources come and go. */
  const known = new WeakMap<RequestScope, EndpointPlugins>();
  const pluginsOf = (scope: RequestScope): EndpointPlugins => {
    let found = known.get(scope);
    if (found === undefined) {
      found = { mutating: byOperation(mutating, scope), validating: byOperation(validating, scope) };
      known.set(scope, found);
    }
    return found;
  };
  return {
    handles(operation, scope) {
      const own = pluginsOf(scope);
      return own.mutating[operation].length > 0 || own.validating[operation].length > 0;
    },
    async admit(attributes: AdmissionAttributes) {
      for (const plugin of pluginsOf(attributes.scope).mutating[attributes.operation]) await plugin.admit?.(attributes);
    },
    async validate(attributes: AdmissionAttributes) {
      const own = pluginsOf(attributes.scope).validating[attributes.operation];
      for (const plugin of own) await plugin.validate?.(attributes);
    },
  };
}

function byOperation(
  plugins: readonly AdmissionPlugin[],
  endpoint: AdmissionEndpoint,
): Readonly<Record<AdmissionOperation, readonly AdmissionPlugin[]>> {
  const handling = (operation: AdmissionOperation) => plugins.filter((plugin) => plugin.handles(operation, endpoint));
  return {
    CREATE: handling('CREATE'),
    UPDATE: handling('UPDATE'),
    DELETE: handling('DELETE'),
    CONNECT: handling('CONNECT'),
  };
}
