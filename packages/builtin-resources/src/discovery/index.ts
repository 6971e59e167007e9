import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { endpointSlices } from './endpoint-slice/index.js';

/** The resources of discovery.k8s.io. */
export const discoveryResources: readonly AnyResourceDefinition[] = [endpointSlices];
