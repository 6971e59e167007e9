import { statefulSetDefinition } from './definition.js';

/**
 * StatefulSets: pods with a name and volumes of their own each.
 * Upstream: pkg/registry/apps/statefulset
 */
export const statefulSets = statefulSetDefinition({ maxUnavailable: false });
