import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { deviceClasses } from './device-class/index.js';
import { resourceClaims } from './resource-claim/index.js';
import { resourceClaimTemplates } from './resource-claim-template/index.js';
import { resourceSlices } from './resource-slice/index.js';

/** The resources of resource.k8s.io. */
export const resourceResources: readonly AnyResourceDefinition[] = [
  deviceClasses,
  resourceClaims,
  resourceClaimTemplates,
  resourceSlices,
];
