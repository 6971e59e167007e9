import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '@apiserver/api/certificates/v1';
import { inSlices } from '@apiserver/apimachinery/clock';
import { cloneJson } from '@apiserver/apimachinery/json';
import { formatTime } from '@apiserver/apimachinery/values';
import { type RequestContext, type Strategy, shownUser } from '@apiserver/apiserver-contracts';
import {
  type CertificateSigningRequestChanges,
  furtherUpdateErrors,
  validateCertificateSigningRequestUpdate,
  validateNewCertificateSigningRequest,
} from './update-validation.js';

/** Strategies of the main, approval and status endpoints; the clock sets times of conditions. */
export interface CertificateSigningRequestStrategies {
  readonly main: Strategy<CertificateSigningRequest>;
  readonly status: Strategy<CertificateSigningRequest>;
  readonly approval: Strategy<CertificateSigningRequest>;
}

/** Upstream: pkg/registry/certificates/certificates/strategy.go */
export function certificateSigningRequestStrategies(clock: { now(): number }): CertificateSigningRequestStrategies {
  const main: Strategy<CertificateSigningRequest> = {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    resetFields: ['spec', 'status'],
    prepareForCreate({ user }, request) {
      request.spec = requestedBy(request.spec, user);
      request.status = {};
    },
    validate: (_context, request) => validateNewCertificateSigningRequest(request),
    prepareForUpdate(_context, request, old) {
      request.spec = cloneJson(old.spec);
      request.status = cloneJson(old.status);
    },
    validateUpdate: (_context, request, old) => validateCertificateSigningRequestUpdate(request, old),
    validateInTurns: validateInTurns({ approval: false, certificate: false }),
  };
  const status: Strategy<CertificateSigningRequest> = {
    ...main,
    resetFields: ['spec', 'status.conditions'],
    prepareForUpdate(_context, request, old) {
      request.spec = cloneJson(old.spec);
      for (const type of ['Approved', 'Denied']) keepConditions(type, request, old);
      setConditionTimes(request, old, clock.now());
    },
    validateInTurns: validateInTurns({ approval: false, certificate: true }),
  };
  const approval: Strategy<CertificateSigningRequest> = {
    ...main,
    resetFields: ['spec', 'status.certificate'],
    prepareForUpdate(_context, request, old) {
      setConditionTimes(request, old, clock.now());
      request.spec = cloneJson(old.spec);
      const { conditions } = request.status;
      const { conditions: _before, ...others } = cloneJson(old.status);
      request.status = { ...(conditions && { conditions }), ...others };
    },
    validateInTurns: validateInTurns({ approval: true, certificate: false }),
  };
  return { main, status, approval };
}

function validateInTurns(
  changes: CertificateSigningRequestChanges,
): NonNullable<Strategy<CertificateSigningRequest>['validateInTurns']> {
  return (_context, request, old) => (old === undefined ? [] : inSlices(furtherUpdateErrors(request, old, changes)));
}

/** Sets the requesting user, which the client cannot choose. */
function requestedBy(
  { request, signerName, expirationSeconds, usages }: CertificateSigningRequestSpec,
  user: RequestContext['user'],
): CertificateSigningRequestSpec {
  return {
    request,
    signerName,
    ...(expirationSeconds !== undefined && { expirationSeconds }),
    ...(usages && { usages }),
    ...(user && shownUser(user)),
  };
}

/**
 * Restores the stored conditions of the type, if there are as many. A request with more or fewer is left for validation
 * to refuse. Upstream: preserveConditionInstances
 */
function keepConditions(wanted: string, { status }: CertificateSigningRequest, old: CertificateSigningRequest): void {
  const conditions = status.conditions ?? [];
  const stored = (old.status.conditions ?? []).filter(({ type }) => type === wanted);
  if (conditions.filter(({ type }) => type === wanted).length !== stored.length) return;
  let next = 0;
  for (const [i, { type }] of conditions.entries()) {
    const kept = type === wanted ? stored[next++] : undefined;
    if (kept !== undefined) conditions[i] = cloneJson(kept);
  }
}

/** Sets missing times: to now, or to the last transition of the condition. Upstream: populateConditionTimestamps */
function setConditionTimes({ status }: CertificateSigningRequest, old: CertificateSigningRequest, now: number): void {
  const time = formatTime(now);
  for (const condition of status.conditions ?? []) {
    condition.lastUpdateTime ??= time;
    condition.lastTransitionTime ??=
      old.status.conditions?.find(
        ({ type, status: was, lastTransitionTime }) =>
          type === condition.type && was === condition.status && lastTransitionTime,
      )?.lastTransitionTime ?? time;
  }
}
