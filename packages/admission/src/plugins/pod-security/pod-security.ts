import type { Namespace, Pod } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { messageOf, newForbidden, newInternalError, newInvalid } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type {
  AdmissionAttributes,
  AdmissionEndpoint,
  AdmissionOperation,
  AdmissionPlugin,
  Informer,
  ResourceClient,
} from '@apiserver/apiserver-contracts';
import { admittedObject, storedObject } from '../../admitted-object.js';
import { isResource, PODS } from '../../endpoint.js';
import { NAMESPACES } from '../../namespace-lookup.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import {
  compareLevels,
  equalLevelVersions,
  formatLevelVersion,
  type LevelVersion,
} from '../../pod-security/level-version.js';
import {
  isFullyPrivileged,
  type NamespacePolicy,
  POD_SECURITY_PREFIX,
  type ResolvedPolicy,
  resolvePolicy,
} from '../../pod-security/namespace-policy.js';
import type { CheckedPod } from '../../pod-security/pod-containers.js';
import { formatViolations, type PodSecurityViolation } from '../../pod-security/violation.js';
import { type PodSecurityConfiguration, podSecurityConfiguration } from './configuration.js';
import { exemptNamespaceWarning } from './exempt-namespace-warning.js';
import { checkExistingPods } from './existing-pods.js';
import { PodEvaluation } from './pod-evaluation.js';
import { PodSecurityMetrics } from './pod-security-metrics.js';
import { hasTemplate, templateOf } from './pod-template.js';
import { isSignificantUpdate } from './significant-update.js';

/** Subresources of pods whose objects are no pods, or that cannot change a specification. */
const IGNORED_SUBRESOURCES: ReadonlySet<string> = new Set([
  ...['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status'],
]);

/** Whole texts, because most pods have the first one. */
const ANNOTATIONS = {
  'enforce-policy': `${POD_SECURITY_PREFIX}enforce-policy`,
  'audit-violations': `${POD_SECURITY_PREFIX}audit-violations`,
  exempt: `${POD_SECURITY_PREFIX}exempt`,
  error: `${POD_SECURITY_PREFIX}error`,
} as const;

type Dependencies = Pick<AdmissionPluginDependencies, 'informer' | 'client' | 'metrics' | 'configuration'>;

/**
 * Applies the Pod Security Standards that namespaces ask for by their labels: refuses pods (enforce), notes them in the
 * audit log (audit), and warns of them and of workloads that would make them (warn).
 * Upstream: plugin/pkg/admission/security/podsecurity, k8s.io/pod-security-admission/admission
 */
export function podSecurity(dependencies: Dependencies): AdmissionPlugin {
  const admission = new PodSecurityAdmission(dependencies);
  return {
    name: 'PodSecurity',
    handles: (operation, endpoint) => isWrite(operation) && isCovered(endpoint),
    validate(attributes) {
      const { resource } = attributes;
      if (isResource(resource, NAMESPACES)) return admission.validateNamespace(attributes);
      return isResource(resource, PODS) ? admission.validatePod(attributes) : admission.validateWorkload(attributes);
    },
  };
}

function isWrite(operation: AdmissionOperation): boolean {
  return operation === 'CREATE' || operation === 'UPDATE';
}

function isCovered({ resource, subresource }: AdmissionEndpoint): boolean {
  if (isResource(resource, PODS)) return !IGNORED_SUBRESOURCES.has(subresource);
  return subresource === '' && (isResource(resource, NAMESPACES) || hasTemplate(resource));
}

/** The three kinds of requests. Methods throw a StatusError to refuse. */
class PodSecurityAdmission {
  readonly #configuration: PodSecurityConfiguration;
  readonly #metrics: PodSecurityMetrics;
  readonly #namespaces: Informer<Namespace>;
  readonly #namespaceClient: ResourceClient<Namespace>;
  readonly #pods: ResourceClient<Pod>;
  /** The policies of namespaces in the informer, whose objects never change. */
  readonly #known = new WeakMap<KubeObject, ResolvedPolicy>();

  constructor({ configuration, informer, client, metrics }: Dependencies) {
    this.#configuration = podSecurityConfiguration(configuration);
    this.#metrics = new PodSecurityMetrics(metrics);
    this.#namespaces = informer(NAMESPACES);
    this.#namespaceClient = client.resource(NAMESPACES);
    this.#pods = client.resource({ ...PODS, version: 'v1' });
  }

  validateNamespace(attributes: AdmissionAttributes): Promise<void> | void {
    const { operation, kind, name } = attributes;
    const { metadata } = admittedObject<Namespace>(attributes);
    const stored = storedObject<Namespace>(attributes);
    const resolved = this.#resolve(metadata.labels);
    if (operation === 'CREATE' || stored === undefined) {
      if (resolved.errors.length > 0) throw newInvalid(kind, name, resolved.errors);
      return this.#warnOfExemption(attributes, resolved);
    }
    const old = this.#resolve(stored.metadata.labels);
    if (resolved.errors.length > 0 && !equalJson(errorTexts(resolved), errorTexts(old))) {
      throw newInvalid(kind, name, resolved.errors);
    }
    const { enforce } = resolved.policy;
    if (!restrictsMore(enforce, old.policy.enforce)) return;
    if (this.#isExemptNamespace(attributes)) return this.#warnOfExemption(attributes, resolved);
    return this.#warnOfExistingPods(attributes, metadata.name ?? '', enforce);
  }

  validatePod(attributes: AdmissionAttributes): Promise<void> | void {
    if (this.#isExempt(attributes)) return;
    const namespace = this.#namespaces.get('', attributes.namespace);
    if (namespace !== undefined) return this.#validatePodIn(namespace, attributes);
    return this.#lookUp(attributes).then(
      (found) => this.#validatePodIn(found, attributes),
      (error: unknown) => {
        this.#metrics.countError(true, attributes);
        const failure = newInternalError(new Error(lookupProblem(attributes)));
        annotate(attributes, 'error', `${failure.message}: ${messageOf(error)}`);
        throw failure;
      },
    );
  }

  validateWorkload(attributes: AdmissionAttributes): Promise<void> | void {
    if (this.#isExempt(attributes)) return;
    const namespace = this.#namespaces.get('', attributes.namespace);
    if (namespace !== undefined) return this.#validateWorkloadIn(namespace, attributes);
    return this.#lookUp(attributes).then(
      (found) => this.#validateWorkloadIn(found, attributes),
      (error: unknown) => {
        this.#metrics.countError(true, attributes);
        annotate(attributes, 'error', `${lookupProblem(attributes)}: ${messageOf(error)}`);
      },
    );
  }

  #validatePodIn(namespace: KubeObject, attributes: AdmissionAttributes): Promise<void> | void {
    const resolved = this.#policyOf(namespace);
    const { policy, errors } = resolved;
    if (errors.length === 0 && isFullyPrivileged(policy)) {
      this.#metrics.countUnrestricted(policy.enforce, attributes);
      annotate(attributes, 'enforce-policy', 'privileged:latest');
      return;
    }
    const pod = admittedObject<Pod>(attributes);
    const stored = storedObject<Pod>(attributes);
    if (attributes.operation === 'UPDATE' && stored !== undefined && !isSignificantUpdate(pod, stored)) return;
    return this.#evaluate(attributes, resolved, pod, true);
  }

  #validateWorkloadIn(namespace: KubeObject, attributes: AdmissionAttributes): Promise<void> | void {
    const resolved = this.#policyOf(namespace);
    const { policy, errors } = resolved;
    if (errors.length === 0 && policy.warn.level === 'privileged' && policy.audit.level === 'privileged') return;
    const template = templateOf(attributes.resource, admittedObject(attributes));
    if (template !== undefined) return this.#evaluate(attributes, resolved, template, false);
  }

  /** Evaluates a pod or template by the policies of the namespace; only pods are refused. */
  #evaluate(
    attributes: AdmissionAttributes,
    resolved: ResolvedPolicy,
    pod: CheckedPod,
    isPod: boolean,
  ): Promise<void> | void {
    if (this.#configuration.exemptions.runtimeClasses.has(pod.spec.runtimeClassName ?? '')) {
      this.#exempt(attributes, 'runtimeClass');
      return;
    }
    const { policy, errors } = resolved;
    if (errors.length > 0) {
      annotate(attributes, 'error', `Failed to parse policy: ${aggregateFieldErrors(errors)}`);
      this.#metrics.countError(false, attributes);
    }
    const evaluation = new PodEvaluation(pod);
    const prepared = evaluation.prepare(
      isPod ? [policy.enforce, policy.audit, policy.warn] : [policy.audit, policy.warn],
    );
    const decide = () => this.#decide(attributes, policy, evaluation, isPod);
    return prepared === undefined ? decide() : prepared.then(decide);
  }

  #decide(attributes: AdmissionAttributes, policy: NamespacePolicy, evaluation: PodEvaluation, isPod: boolean): void {
    const enforced = isPod ? evaluation.by(policy.enforce) : undefined;
    if (enforced !== undefined) {
      annotate(attributes, 'enforce-policy', formatLevelVersion(policy.enforce));
      const decision = enforced.length === 0 ? 'allow' : 'deny';
      this.#metrics.countEvaluation(decision, policy.enforce, 'enforce', attributes);
    }
    const audited = evaluation.by(policy.audit);
    if (audited.length > 0) {
      annotate(attributes, 'audit-violations', `would violate ${problemOf(policy.audit, audited)}`);
      this.#metrics.countEvaluation('deny', policy.audit, 'audit', attributes);
    }
    if (enforced !== undefined && enforced.length > 0) {
      throw newForbidden(attributes.resource, attributes.name, `violates ${problemOf(policy.enforce, enforced)}`);
    }
    const warned = evaluation.by(policy.warn);
    if (warned.length === 0) return;
    attributes.warnings.warn(`would violate ${problemOf(policy.warn, warned)}`);
    this.#metrics.countEvaluation('deny', policy.warn, 'warn', attributes);
  }

  #policyOf(namespace: KubeObject): ResolvedPolicy {
    let resolved = this.#known.get(namespace);
    if (resolved === undefined) {
      resolved = this.#resolve(namespace.metadata.labels);
      this.#known.set(namespace, resolved);
    }
    return resolved;
  }

  #resolve(labels: Readonly<Record<string, string>> | undefined): ResolvedPolicy {
    return resolvePolicy(labels, this.#configuration.defaults);
  }

  /** Reports whether namespace or user are exempt, and notes it. */
  #isExempt(attributes: AdmissionAttributes): boolean {
    if (this.#isExemptNamespace(attributes)) {
      this.#exempt(attributes, 'namespace');
      return true;
    }
    if (!this.#configuration.exemptions.usernames.has(attributes.user?.name ?? '')) return false;
    this.#exempt(attributes, 'user');
    return true;
  }

  #isExemptNamespace({ namespace }: AdmissionAttributes): boolean {
    return this.#configuration.exemptions.namespaces.has(namespace);
  }

  #exempt(attributes: AdmissionAttributes, by: 'namespace' | 'user' | 'runtimeClass'): void {
    this.#metrics.countExemption(attributes);
    annotate(attributes, 'exempt', by);
  }

  #lookUp({ namespace }: AdmissionAttributes): Promise<Namespace> {
    return this.#namespaceClient.get('', namespace);
  }

  #warnOfExemption(attributes: AdmissionAttributes, { policy }: ResolvedPolicy): void {
    if (!this.#isExemptNamespace(attributes)) return;
    const { metadata } = admittedObject<Namespace>(attributes);
    const warning = exemptNamespaceWarning(metadata, policy, this.#configuration.defaults);
    if (warning !== undefined) attributes.warnings.warn(warning);
  }

  async #warnOfExistingPods(attributes: AdmissionAttributes, name: string, enforce: LevelVersion): Promise<void> {
    const { runtimeClasses } = this.#configuration.exemptions;
    const isExempt = ({ spec }: Pod) => runtimeClasses.has(spec.runtimeClassName ?? '');
    const dependencies = { pods: this.#pods, isExempt };
    for (const warning of await checkExistingPods(dependencies, attributes, name, enforce)) {
      attributes.warnings.warn(warning);
    }
  }
}

/** Reports whether pods that the old policy permits may violate the new one. */
function restrictsMore(policy: LevelVersion, old: LevelVersion): boolean {
  if (policy.level === 'privileged' || equalLevelVersions(policy, old)) return false;
  return policy.version !== old.version || compareLevels(policy.level, old.level) > 0;
}

function errorTexts({ errors }: ResolvedPolicy): readonly unknown[] {
  return errors.map(({ field, badValue }) => [field, badValue]);
}

function problemOf(policy: LevelVersion, violations: readonly PodSecurityViolation[]): string {
  return `PodSecurity ${quote(formatLevelVersion(policy))}: ${formatViolations(violations)}`;
}

function lookupProblem({ namespace }: AdmissionAttributes): string {
  return `failed to lookup namespace ${quote(namespace)}`;
}

function annotate(attributes: AdmissionAttributes, key: keyof typeof ANNOTATIONS, value: string): void {
  attributes.addAnnotation(ANNOTATIONS[key], value);
}
