import type { Signatures } from '../check/declarations.js';

/** Upstream: k8s.io/apiserver/pkg/cel/library/authz.go */
export const AUTHORIZER_FUNCTIONS: Signatures = {
  allowed: ['decision_allowed: kubernetes.authorization.Decision.() -> bool'],
  check: [
    'pathcheck_check: kubernetes.authorization.PathCheck.(string) -> kubernetes.authorization.Decision',
    'resourcecheck_check: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.Decision',
  ],
  error: ['decision_error: kubernetes.authorization.Decision.() -> string'],
  errored: ['decision_errored: kubernetes.authorization.Decision.() -> bool'],
  fieldSelector: [
    'authorizer_fieldselector: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck',
  ],
  group: ['authorizer_group: kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.GroupCheck'],
  labelSelector: [
    'authorizer_labelselector: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck',
  ],
  name: [
    'resourcecheck_name: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck',
  ],
  namespace: [
    'resourcecheck_namespace: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck',
  ],
  path: ['authorizer_path: kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.PathCheck'],
  reason: ['decision_reason: kubernetes.authorization.Decision.() -> string'],
  resource: [
    'groupcheck_resource: kubernetes.authorization.GroupCheck.(string) -> kubernetes.authorization.ResourceCheck',
  ],
  serviceAccount: [
    'authorizer_serviceaccount: kubernetes.authorization.Authorizer.(string, string) -> kubernetes.authorization.Authorizer',
  ],
  subresource: [
    'resourcecheck_subresource: kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck',
  ],
};
