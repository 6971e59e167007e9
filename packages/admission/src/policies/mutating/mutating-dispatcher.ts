import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '@apiserver/api/admissionregistration/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { isStatusError, messageOf, StatusError } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { OutOfBudget } from '../../expressions/activation.js';
import { EvaluationContext } from '../../expressions/evaluation-context.js';
import { newAdmissionForbidden } from '../../forbidden.js';
import { setPatchedDefaults } from '../../matching/patched-custom-resource.js';
import { VersionedRequest } from '../../matching/versioned-request.js';
import type { DispatcherDependencies } from '../shared/dispatcher-dependencies.js';
import type { PolicyHook } from '../shared/policy-hook.js';
import { errorTypeOf, type PolicyObserver } from '../shared/policy-metrics.js';
import { RequestNamespace } from '../shared/request-namespace.js';
import { type Invocation, type InvocationFault, selectInvocations } from '../shared/select-invocations.js';
import type { CompiledMutation, MutatingPolicy } from './mutating-policy.js';
import { MutationError } from './mutation-error.js';
import { PolicyReinvocation } from './policy-reinvocation.js';

type Policy = MutatingAdmissionPolicy;
type Binding = MutatingAdmissionPolicyBinding;
/** A MutatingAdmissionPolicy with its bindings. */
export type MutatingHook = PolicyHook<Policy, Binding, MutatingPolicy>;
type MutatingInvocation = Invocation<Policy, Binding, MutatingPolicy>;
type Fault = InvocationFault<Policy, Binding, MutatingPolicy>;

/**
 * Changes the object of a request by the policies that select it. Returns undefined if none does.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/mutating/dispatcher.go
 */
export function dispatchMutating(
  attributes: AdmissionAttributes,
  hooks: readonly MutatingHook[],
  dependencies: DispatcherDependencies,
): Promise<void> | undefined {
  const selected = selectInvocations(hooks, { attributes, matcher: dependencies.matcher });
  return selected?.then((found) => new MutatingRun(attributes, dependencies).run(found));
}

/** A failure of a policy. */
interface Failure {
  readonly hook: MutatingHook;
  readonly binding: string | undefined;
  readonly message: string;
  /** Undefined for the reason of a refusal without one. */
  readonly reason: 'Invalid' | undefined;
}

/** The policies of one request. */
class MutatingRun {
  readonly #attributes: AdmissionAttributes;
  readonly #context: EvaluationContext;
  readonly #versions: VersionedRequest;
  readonly #namespace: RequestNamespace;
  readonly #observer: PolicyObserver | undefined;
  readonly #failures: Failure[] = [];
  #hasChanged = false;

  constructor(attributes: AdmissionAttributes, { matcher, authorizer, observer }: DispatcherDependencies) {
    this.#attributes = attributes;
    this.#context = new EvaluationContext(authorizer, attributes);
    this.#versions = new VersionedRequest(attributes);
    this.#namespace = new RequestNamespace(attributes, matcher);
    this.#observer = observer;
  }

  async run(selected: readonly (MutatingInvocation | Fault)[]): Promise<void> {
    const invocations: MutatingInvocation[] = [];
    for (const one of selected) {
      if ('fault' in one) {
        this.#fail(one);
        continue;
      }
      const converts = this.#converts(one);
      if (converts === true || (await converts)) invocations.push(one);
    }
    if (invocations.some(({ parameters }) => parameters.length > 0)) await this.#runAll(invocations);
    this.#refuse();
  }

  /** A request that cannot be converted is a fault of the policy. */
  #converts({ hook, version }: MutatingInvocation): boolean | Promise<boolean> {
    const isFault = (error: unknown): false => {
      this.#fail({ hook, binding: undefined, fault: messageOf(error) });
      return false;
    };
    try {
      const converted = this.#versions.at(version);
      return converted instanceof Promise ? converted.then(() => true, isFault) : true;
    } catch (error) {
      return isFault(error);
    }
  }

  #fail({ hook, binding, fault }: Fault): void {
    const message = `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${fault}`;
    this.#failures.push({ hook, binding: binding?.name, message, reason: undefined });
  }

  async #runAll(invocations: readonly MutatingInvocation[]): Promise<void> {
    const reinvocation = new PolicyReinvocation(this.#attributes);
    const namespace = await this.#namespace.get();
    for (const invocation of invocations) {
      const compiled = invocation.hook.evaluator();
      const policy = compiled instanceof Promise ? await compiled : compiled;
      for (const parameters of invocation.parameters) {
        const key = keyOf(invocation, parameters);
        const versioned = this.#versions.at(invocation.version);
        const request = versioned instanceof Promise ? await versioned : versioned;
        const matching = policy.conditions.match(request, this.#context, parameters);
        const matched = matching instanceof Promise ? await matching : matching;
        if ('error' in matched) this.#addFailure(invocation, matched.error);
        else if (matched.matches && reinvocation.runs(key)) {
          await this.#mutate(invocation, policy, { namespace, parameters });
          if (invocation.hook.policy.spec.reinvocationPolicy === 'IfNeeded') reinvocation.hasRun(key);
        }
      }
    }
    reinvocation.end(this.#hasChanged);
  }

  /** A mutation that fails leaves the object as it is; the next one follows. */
  async #mutate(
    invocation: MutatingInvocation,
    policy: MutatingPolicy,
    inputs: { readonly namespace: object | undefined; readonly parameters: KubeObject | undefined },
  ): Promise<void> {
    if (this.#attributes.object === undefined) return;
    for (const mutation of policy.mutations) {
      const started = performance.now();
      const failed = await this.#mutateOnce(invocation, mutation, { policy, ...inputs });
      const { hook, binding } = invocation;
      const message = failed && messageOf(failed);
      const seconds = (performance.now() - started) / 1000;
      this.#observer?.observe({ policy: hook.name, binding: binding.name, errorType: errorTypeOf(message), seconds });
      if (isStatusError(failed)) throw failed;
      if (message !== undefined) this.#addFailure(invocation, message);
    }
  }

  /** The error of the mutation; undefined if it changed the object. */
  async #mutateOnce(
    { version }: MutatingInvocation,
    mutation: CompiledMutation,
    inputs: {
      readonly policy: MutatingPolicy;
      readonly namespace: object | undefined;
      readonly parameters: KubeObject | undefined;
    },
  ): Promise<Error | undefined> {
    const { policy, namespace, parameters } = inputs;
    try {
      const versioned = this.#versions.at(version);
      const request = versioned instanceof Promise ? await versioned : versioned;
      const mutating = policy.mutate(mutation, { request, namespace, parameters, context: this.#context });
      const mutated = mutating instanceof Promise ? await mutating : mutating;
      setPatchedDefaults(mutated);
      const replacing = this.#versions.replace(mutated.version, mutated.object);
      if (replacing instanceof Promise) await replacing;
      this.#hasChanged = true;
      return undefined;
    } catch (error) {
      if (error instanceof MutationError || error instanceof OutOfBudget || isStatusError(error)) return error;
      throw error;
    }
  }

  #addFailure({ hook, binding }: MutatingInvocation, message: string): void {
    this.#failures.push({ hook, binding: binding.name, message, reason: 'Invalid' });
  }

  #refuse(): void {
    const failures = this.#failures.filter(({ hook }) => hook.policy.spec.failurePolicy !== 'Ignore');
    const [first] = failures;
    if (first === undefined) return;
    const messages = failures.map(messageOfFailure);
    const { status } = newAdmissionForbidden(this.#attributes, 'admission request denied by policy');
    throw new StatusError({
      ...status,
      message: messages[0] ?? '',
      ...(first.reason === undefined ? {} : { reason: first.reason }),
      details: {
        ...status.details,
        causes: [...(status.details?.causes ?? []), ...messages.map((message) => ({ message }))],
      },
    });
  }
}

function messageOfFailure({ hook, binding, message }: Failure): string {
  return binding === undefined
    ? `policy "${hook.name}" denied request: ${message}`
    : `policy '${hook.name}' with binding '${binding}' denied request: ${message}`;
}

function keyOf({ hook, binding }: MutatingInvocation, parameters: KubeObject | undefined): string {
  const { namespace = '', name = '' } = parameters?.metadata ?? {};
  return [hook.name, binding.name, namespace, name].join('/');
}
