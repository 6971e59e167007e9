import { PodCertificateRequest } from '@apiserver/api/certificates/v1beta1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { podCertificateRequestColumns } from './columns.js';
import { podCertificateRequestStatusStrategy, podCertificateRequestStrategy, type SigningOptions } from './strategy.js';

/**
 * PodCertificateRequests: a node's request for a certificate of one of its pods, and the issued certificate.
 * Upstream: pkg/registry/certificates/podcertificaterequest
 */
export function podCertificateRequests(options: SigningOptions): ResourceDefinition<PodCertificateRequest> {
  return defineResource<PodCertificateRequest>({
    versions: [{ schema: PodCertificateRequest }],
    strategy: podCertificateRequestStrategy,
    columns: podCertificateRequestColumns,
    selectableFieldNames: ['spec.signerName', 'spec.podName', 'spec.nodeName'],
    selectsNamespace: false,
    selectableFields: ({ spec }) => ({
      'spec.signerName': spec.signerName,
      'spec.podName': spec.podName,
      'spec.nodeName': spec.nodeName,
    }),
    subresources: { status: { strategy: podCertificateRequestStatusStrategy(options) } },
  });
}
