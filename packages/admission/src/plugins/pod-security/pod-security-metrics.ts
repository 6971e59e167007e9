import type { AdmissionAttributes, AdmissionOperation } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry, Series } from '@apiserver/component-base/metrics';
import { API_LEVEL } from '@apiserver/component-base/version';
import { LATEST, type LevelVersion, minorOf } from '../../pod-security/level-version.js';
import type { PolicyMode } from '../../pod-security/namespace-policy.js';

/** The outcome of an evaluation. */
export type PolicyDecision = 'allow' | 'deny';

type Request = Pick<AdmissionAttributes, 'operation' | 'resource' | 'subresource'>;

const REQUEST_LABELS = ['request_operation', 'resource', 'subresource'] as const;

/**
 * Counts evaluations, exemptions and errors. Upstream makes the series of the most frequent requests at the start, so
 * that they show 0.
 * Upstream: k8s.io/pod-security-admission/metrics
 */
export class PodSecurityMetrics {
  readonly #evaluations;
  readonly #exemptions;
  readonly #errors;
  readonly #unrestricted: { readonly CREATE: Series; readonly UPDATE: Series };

  constructor(registry: MetricsRegistry) {
    this.#evaluations = registry.counter({
      name: 'pod_security_evaluations_total',
      help: 'Evaluations of pods and pod templates by a policy; exempt requests are not counted.',
      labels: ['decision', 'policy_level', 'policy_version', 'mode', ...REQUEST_LABELS],
    });
    this.#exemptions = registry.counter({
      name: 'pod_security_exemptions_total',
      help: 'Requests that are exempt from policies.',
      labels: REQUEST_LABELS,
    });
    this.#errors = registry.counter({
      name: 'pod_security_errors_total',
      help: 'Errors of evaluations. After one that is not fatal, the latest version of restricted may have been used.',
      labels: ['fatal', ...REQUEST_LABELS],
    });
    const unrestricted = (request_operation: string) =>
      this.#evaluations.with({
        decision: 'allow',
        policy_level: 'privileged',
        policy_version: LATEST,
        mode: 'enforce',
        request_operation,
        resource: 'pod',
        subresource: '',
      });
    this.#unrestricted = { CREATE: unrestricted('create'), UPDATE: unrestricted('update') };
    for (const resource of ['pod', 'controller']) {
      for (const request_operation of ['create', 'update']) {
        this.#exemptions.with({ request_operation, resource, subresource: '' });
      }
    }
  }

  /** Counts a pod in a namespace that restricts nothing: most pods. */
  countUnrestricted(policy: LevelVersion, request: Request): void {
    const { operation, subresource } = request;
    if (subresource !== '' || (operation !== 'CREATE' && operation !== 'UPDATE')) {
      this.countEvaluation('allow', policy, 'enforce', request);
    } else {
      this.#unrestricted[operation].value++;
    }
  }

  countEvaluation(decision: PolicyDecision, policy: LevelVersion, mode: PolicyMode, request: Request): void {
    const { level } = policy;
    const labels = { decision, policy_level: level, policy_version: versionLabel(policy), mode };
    this.#evaluations.with({ ...labels, ...requestLabels(request) }).value++;
  }

  countExemption(request: Request): void {
    this.#exemptions.with(requestLabels(request)).value++;
  }

  countError(fatal: boolean, request: Request): void {
    this.#errors.with({ fatal: String(fatal), ...requestLabels(request) }).value++;
  }
}

/** Versions beyond the server's own share one value: labels of namespaces must not make series without end. */
function versionLabel({ level, version }: LevelVersion): string {
  if (version === LATEST || level === 'privileged') return LATEST;
  return minorOf(version) <= API_LEVEL.minor ? version : 'future';
}

const OPERATIONS: Readonly<Record<AdmissionOperation, string>> = {
  CREATE: 'create',
  UPDATE: 'update',
  DELETE: 'delete',
  CONNECT: 'connect',
};

function requestLabels({ operation, resource: { group, resource }, subresource }: Request) {
  const isPod = group === '' && resource === 'pods';
  const isNamespace = group === '' && resource === 'namespaces';
  const label = isPod ? 'pod' : isNamespace ? 'namespace' : 'controller';
  return { request_operation: OPERATIONS[operation], resource: label, subresource };
}
