import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { certificateSigningRequests } from './certificate-signing-request/index.js';

/** The resources of certificates.k8s.io. */
export function certificatesGroup({ install }: GroupDependencies): APIGroupInfo {
  return builtinGroup('certificates.k8s.io', [install(certificateSigningRequests)]);
}
