import type { PodCertificateRequest } from '@apiserver/api/certificates/v1beta1';
import { type FieldError, FieldPath, fieldForbidden, fieldInternal } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { Authorizer, Strategy, VerbContext } from '@apiserver/apiserver-contracts';
import { isAuthorizedForSigner, restoreForStatus } from '@apiserver/resource-kit';
import type { WallClock } from '../../builtin-group.js';
import { isSameStatus, validatePodCertificateRequestStatusUpdate } from './status-validation.js';
import { validatePodCertificateRequest, validatePodCertificateRequestUpdate } from './validation.js';

const SIGNER_NAME = FieldPath.of('spec', 'signerName');

/** Dependencies of the kind on its server. */
export interface SigningOptions {
  /** Decides who may sign. */
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  /** Issued certificates must be valid from about now. */
  readonly clock: WallClock;
}

/** Upstream: Strategy of pkg/registry/certificates/podcertificaterequest/strategy.go */
export const podCertificateRequestStrategy: Strategy<PodCertificateRequest> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  prepareForCreate(_context, request) {
    request.status = {};
  },
  validate: (_context, request) => validatePodCertificateRequest(request),
  prepareForUpdate(_context, request, old) {
    request.status = cloneJson(old.status);
  },
  validateUpdate: (_context, request, old) => validatePodCertificateRequestUpdate(request, old),
};

/** The strategy of the status endpoint, for signers. Upstream: StatusStrategy */
export function podCertificateRequestStatusStrategy(options: SigningOptions): Strategy<PodCertificateRequest> {
  return {
    ...podCertificateRequestStrategy,
    resetFields: ['spec'],
    prepareForUpdate: (_context, request, old) => restoreForStatus(request, old),
    validateUpdate: (_context, request, old) =>
      validatePodCertificateRequestStatusUpdate(request, old, options.clock.now()),
    validateInTurns(context, request, old, errors) {
      if (old === undefined || errors.length > 0 || isSameStatus(request.status, old.status)) return [];
      return refuseSigner(context, old.spec.signerName, options);
    },
  };
}

/** A change of the status needs the permission to sign for the request's signer. */
async function refuseSigner(
  context: VerbContext,
  signerName: string,
  { authorizer }: SigningOptions,
): Promise<readonly FieldError[]> {
  const { user } = context;
  if (user === undefined) {
    return [fieldInternal(SIGNER_NAME, new Error('cannot determine calling user to perform "sign" check'))];
  }
  if (await isAuthorizedForSigner(context, 'sign', signerName, authorizer)) return [];
  const fault = `User ${quote(user.name)} is not permitted to "sign" for signer ${quote(signerName)}`;
  return [fieldForbidden(SIGNER_NAME, fault)];
}
