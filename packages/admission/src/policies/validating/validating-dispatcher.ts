import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@apiserver/api/admissionregistration/v1';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { messageOf, StatusError } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { EvaluationContext } from '../../expressions/evaluation-context.js';
import { newAdmissionForbidden } from '../../forbidden.js';
import { type VersionedAttributes, VersionedRequest } from '../../matching/versioned-request.js';
import type { DispatcherDependencies } from '../shared/dispatcher-dependencies.js';
import type { PolicyHook } from '../shared/policy-hook.js';
import { errorTypeOf, type PolicyObserver } from '../shared/policy-metrics.js';
import { RequestNamespace } from '../shared/request-namespace.js';
import { type Invocation, type InvocationFault, selectInvocations } from '../shared/select-invocations.js';
import { AuditAnnotations } from './audit-annotations.js';
import type { PolicyDecision, ValidatingPolicy, ValidationResult } from './validating-policy.js';

type Policy = ValidatingAdmissionPolicy;
type Binding = ValidatingAdmissionPolicyBinding;
/** A ValidatingAdmissionPolicy with its bindings. */
export type ValidatingHook = PolicyHook<Policy, Binding, ValidatingPolicy>;
type ValidatingInvocation = Invocation<Policy, Binding, ValidatingPolicy>;
type Selected = ValidatingInvocation | InvocationFault<Policy, Binding, ValidatingPolicy>;

/** Results after which the time slice is checked: a binding may have one for each of 100,000 parameters. */
const TAKEN_AT_ONCE = 8;

const FAILURE_ANNOTATION = 'validation.policy.admission.k8s.io/validation_failure';

/**
 * Evaluates the policies that select a request, and refuses it by the first refusal. Returns undefined if no policy
 * selects it.
 *
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go
 */
export function dispatchValidating(
  attributes: AdmissionAttributes,
  hooks: readonly ValidatingHook[],
  dependencies: DispatcherDependencies,
): Promise<void> | undefined {
  const selected = selectInvocations(hooks, { attributes, matcher: dependencies.matcher });
  return selected?.then((found) => new ValidatingRun(attributes, dependencies).run(found));
}

/** A refusal by a policy. */
interface Refusal {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string | undefined;
}

/** The policies of one request. */
class ValidatingRun {
  readonly #attributes: AdmissionAttributes;
  readonly #context: EvaluationContext;
  readonly #versions: VersionedRequest;
  readonly #namespace: RequestNamespace;
  readonly #observer: PolicyObserver | undefined;
  #refusal: Refusal | undefined;

  constructor(attributes: AdmissionAttributes, { matcher, authorizer, observer }: DispatcherDependencies) {
    this.#attributes = attributes;
    this.#context = new EvaluationContext(authorizer, attributes);
    this.#versions = new VersionedRequest(attributes);
    this.#namespace = new RequestNamespace(attributes, matcher);
    this.#observer = observer;
  }

  async run(selected: readonly Selected[]): Promise<void> {
    for (const ofPolicy of Map.groupBy(selected, ({ hook }) => hook).values()) {
      const annotations = new AuditAnnotations();
      for (const one of ofPolicy) await this.#runOne(one, annotations);
      annotations.publish(ofPolicy[0]?.hook.name ?? '', this.#attributes);
    }
    if (this.#refusal !== undefined) throw refusalStatus(this.#attributes, this.#refusal);
  }

  async #runOne(selected: Selected, annotations: AuditAnnotations): Promise<void> {
    if ('fault' in selected) return this.#fail(selected);
    const { hook, binding, version, parameters } = selected;
    let request: VersionedAttributes | undefined;
    try {
      const versioned = parameters.length === 0 ? undefined : this.#versions.at(version);
      request = versioned instanceof Promise ? await versioned : versioned;
    } catch (error) {
      const fault = `failed to convert object version: ${messageOf(error)}`;
      return this.#fail({ hook, binding, fault });
    }
    const namespace = await this.#namespace.get();
    if (request === undefined) return;
    const compiled = hook.evaluator();
    const policy = compiled instanceof Promise ? await compiled : compiled;
    const results: ValidationResult[] = [];
    for (const parameter of parameters) {
      results.push(await policy.validate({ request, namespace, parameters: parameter, context: this.#context }));
    }
    const slice = new TimeSlice();
    for (const [i, result] of results.entries()) {
      if (slice.overAt(i, TAKEN_AT_ONCE, 0)) await slice.yield();
      this.#take(selected, result, annotations);
    }
  }

  /** A policy that is wrong refuses, unless it says otherwise. */
  #fail({ hook, binding, fault }: InvocationFault<Policy, Binding, ValidatingPolicy>): void {
    if (hook.policy.spec.failurePolicy === 'Ignore') return;
    const message = `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${fault}`;
    this.#refusal ??= { policy: hook.name, binding: binding?.name, message, reason: undefined };
  }

  #take(invocation: ValidatingInvocation, result: ValidationResult, annotations: AuditAnnotations): void {
    for (const [index, decision] of result.decisions.entries()) {
      if (decision.isDenied) this.#takeDenial(invocation, decision, index);
      else if (decision.evaluation === 'error') this.#observe(invocation, decision, 'allow');
    }
    for (const annotation of result.annotations) {
      if ('value' in annotation) annotations.add(annotation.key, annotation.value);
      else this.#refuse(invocation, errorDecision(annotation.error, annotation.seconds));
    }
  }

  #takeDenial(invocation: ValidatingInvocation, decision: PolicyDecision, index: number): void {
    const { hook, binding } = invocation;
    for (const action of binding.binding.spec.validationActions ?? []) {
      switch (action) {
        case 'Deny':
          this.#refuse(invocation, decision);
          break;
        case 'Audit':
          this.#attributes.addAnnotation(FAILURE_ANNOTATION, failureValue(binding.binding, decision, index));
          this.#observe(invocation, decision, 'audit');
          break;
        case 'Warn':
          this.#attributes.warnings.warn(
            `Validation failed for ValidatingAdmissionPolicy '${hook.name}' with binding '${binding.name}': ${decision.message}`,
          );
          this.#observe(invocation, decision, 'warn');
          break;
      }
    }
  }

  #refuse(invocation: ValidatingInvocation, decision: PolicyDecision): void {
    const { hook, binding } = invocation;
    this.#refusal ??= { policy: hook.name, binding: binding.name, message: decision.message, reason: decision.reason };
    this.#observe(invocation, decision, 'deny');
  }

  #observe({ hook, binding }: ValidatingInvocation, decision: PolicyDecision, action: string): void {
    const errorType = errorTypeOf(decision.evaluation === 'admit' ? undefined : decision.message);
    this.#observer?.observe({ policy: hook.name, binding: binding.name, errorType, seconds: decision.seconds }, action);
  }
}

function errorDecision(message: string, seconds: number): PolicyDecision {
  return { evaluation: 'error', isDenied: true, message, reason: undefined, seconds };
}

/** The value of the audit annotation: a list, since a later version may report several failures. */
function failureValue({ metadata, spec }: Binding, { message }: PolicyDecision, expressionIndex: number): string {
  const { policyName = '', validationActions = [] } = spec;
  const members = Object.entries({
    message,
    policy: policyName,
    binding: metadata.name ?? '',
    expressionIndex,
    validationActions,
  });
  // Written member by member: their order is upstream's.
  return `[{${members.map(([name, value]) => `"${name}":${stringifyJson(value)}`).join(',')}}]`;
}

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

function refusalStatus(
  attributes: AdmissionAttributes,
  { policy, binding, message, reason = 'Invalid' }: Refusal,
): StatusError {
  const of = binding === undefined ? '' : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${of} denied request: ${message}`;
  const { status } = newAdmissionForbidden(attributes, text);
  const causes = [...(status.details?.causes ?? []), { message: text }];
  return new StatusError({ ...status, reason, code: CODES[reason] ?? 422, details: { ...status.details, causes } });
}
