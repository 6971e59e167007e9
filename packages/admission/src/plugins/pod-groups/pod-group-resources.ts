export const POD_GROUPS = { group: 'scheduling.k8s.io', version: 'v1alpha2', resource: 'podgroups' };
export const WORKLOADS = { group: 'scheduling.k8s.io', version: 'v1alpha2', resource: 'workloads' };
