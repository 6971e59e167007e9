import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { leases } from './lease/index.js';

/** The resources of coordination.k8s.io. */
export const coordinationResources: readonly AnyResourceDefinition[] = [leases];
