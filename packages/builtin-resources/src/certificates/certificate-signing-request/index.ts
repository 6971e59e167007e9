import { CertificateSigningRequest } from '@apiserver/api/certificates/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { WallClock } from '../../builtin-group.js';
import { certificateSigningRequestColumns } from './columns.js';
import { certificateSigningRequestStrategies } from './strategy.js';

/**
 * CertificateSigningRequests: a request for a certificate, its approval, and the certificate.
 * Upstream: pkg/registry/certificates/certificates
 */
export function certificateSigningRequests(clock: WallClock): ResourceDefinition<CertificateSigningRequest> {
  const { main, status, approval } = certificateSigningRequestStrategies(clock);
  return defineResource<CertificateSigningRequest>({
    shortNames: ['csr'],
    versions: [{ schema: CertificateSigningRequest }],
    strategy: main,
    columns: certificateSigningRequestColumns,
    selectableFieldNames: ['spec.signerName'],
    selectableFields: ({ spec }) => ({ 'spec.signerName': spec.signerName }),
    subresources: { status: { strategy: status }, approval: { strategy: approval, columns: [] } },
  });
}
