/** A built-in API group without its resources, for the command line before they are loaded. */
export interface BuiltinGroupVersions {
  /** "" for the core group. */
  readonly group: string;
  /** Served versions in order of preference. */
  readonly versions: readonly string[];
}

/** Every built-in group, in listing order. */
export const builtinGroupVersions = [
  { group: '', versions: ['v1'] },
  { group: 'apps', versions: ['v1'] },
  { group: 'events.k8s.io', versions: ['v1'] },
  { group: 'autoscaling', versions: ['v2', 'v1'] },
  { group: 'batch', versions: ['v1'] },
  { group: 'certificates.k8s.io', versions: ['v1', 'v1beta1', 'v1alpha1'] },
  { group: 'networking.k8s.io', versions: ['v1', 'v1beta1'] },
  { group: 'policy', versions: ['v1'] },
  { group: 'rbac.authorization.k8s.io', versions: ['v1'] },
  { group: 'storage.k8s.io', versions: ['v1', 'v1beta1'] },
  { group: 'admissionregistration.k8s.io', versions: ['v1', 'v1beta1', 'v1alpha1'] },
  { group: 'scheduling.k8s.io', versions: ['v1', 'v1alpha2'] },
  { group: 'coordination.k8s.io', versions: ['v1', 'v1beta1', 'v1alpha2'] },
  { group: 'node.k8s.io', versions: ['v1'] },
  { group: 'discovery.k8s.io', versions: ['v1'] },
  { group: 'resource.k8s.io', versions: ['v1', 'v1beta2', 'v1beta1', 'v1alpha3'] },
  { group: 'flowcontrol.apiserver.k8s.io', versions: ['v1'] },
  { group: 'internal.apiserver.k8s.io', versions: ['v1alpha1'] },
  { group: 'storagemigration.k8s.io', versions: ['v1beta1'] },
] as const satisfies readonly BuiltinGroupVersions[];

/** A built-in group. */
export type BuiltinGroupName = (typeof builtinGroupVersions)[number]['group'];
