/** The resource of Leases, for clients. */
export const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
