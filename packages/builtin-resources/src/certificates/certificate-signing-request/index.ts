import { CertificateSigningRequest } from '@apiserver/api/certificates/v1';
import { defineResource } from '@apiserver/resource-kit';
import { certificateSigningRequestColumns } from './columns.js';
import { certificateSigningRequestStrategies } from './strategy.js';

const { main, status, approval } = /* @__PURE__ */ certificateSigningRequestStrategies({ now: () => Date.now() });

/**
 * CertificateSigningRequests: a request for a certificate, its approval, and the certificate.
 * Upstream: pkg/registry/certificates/certificates
 */
export const certificateSigningRequests = defineResource<CertificateSigningRequest>({
  shortNames: ['csr'],
  versions: [{ schema: CertificateSigningRequest }],
  strategy: main,
  columns: certificateSigningRequestColumns,
  selectableFieldNames: ['spec.signerName'],
  selectableFields: ({ spec }) => ({ 'spec.signerName': spec.signerName }),
  subresources: { status: { strategy: status }, approval: { strategy: approval, columns: [] } },
});
