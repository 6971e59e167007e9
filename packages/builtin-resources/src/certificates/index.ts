import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { certificateSigningRequests } from './certificate-signing-request/index.js';

/** The resources of certificates.k8s.io. */
export const certificatesResources: readonly AnyResourceDefinition[] = [certificateSigningRequests];
