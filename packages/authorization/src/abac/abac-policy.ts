import { wellKnownGroups } from '@apiserver/apiserver-contracts';

/** One line of a policy file. An empty text matches nothing, or only what is empty; `*` matches all. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  /** True if only get, list and watch are allowed. */
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

/** A policy as its line has it. */
export type WrittenPolicy = Partial<AbacPolicy>;

const NOTHING: AbacPolicy = {
  user: '',
  group: '',
  readonly: false,
  apiGroup: '',
  resource: '',
  namespace: '',
  nonResourcePath: '',
};

/** Upstream: pkg/apis/abac/v1beta1/conversion.go */
export function policyOfV1Beta1(spec: WrittenPolicy): AbacPolicy {
  return withSubject({ ...NOTHING, ...spec });
}

/** A policy of the oldest form allows what it does not name. Upstream: pkg/apis/abac/v0/conversion.go */
export function policyOfV0({ user = '', group = '', readonly = false, ...named }: WrittenPolicy): AbacPolicy {
  const { namespace = '', resource = '' } = named;
  return withSubject({
    user,
    group: user === '' && group === '' ? wellKnownGroups.authenticated : group,
    readonly,
    apiGroup: '*',
    resource: resource || '*',
    namespace: namespace || '*',
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  });
}

/** Every user means: every authenticated one. */
function withSubject(policy: AbacPolicy): AbacPolicy {
  if (policy.user !== '*' && policy.group !== '*') return policy;
  return { ...policy, user: '', group: wellKnownGroups.authenticated };
}
