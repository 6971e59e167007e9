import type { MutatingAdmissionPolicy, Mutation } from '@apiserver/api/admissionregistration/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { PolicyCompiler } from '@apiserver/cel';
import {
  Activation,
  type Outcomes,
  type WrittenExpression,
  type WrittenVariable,
} from '../../expressions/activation.js';
import type { EvaluationContext } from '../../expressions/evaluation-context.js';
import type { MatchConditions } from '../../matching/match-conditions.js';
import type { InVersion } from '../../matching/patched-custom-resource.js';
import type { VersionedAttributes } from '../../matching/versioned-request.js';
import { CALL_BUDGET, type CompileDependencies, type CompiledParts, compileParts } from '../shared/compile-policy.js';
import { applyConfiguration } from './apply-configuration.js';
import { applyPolicyPatch } from './apply-policy-patch.js';
import { MutationError } from './mutation-error.js';

/** A mutation of a policy. */
export interface CompiledMutation {
  readonly type: 'applyConfiguration' | 'jsonPatch';
  readonly expression: WrittenExpression;
}

/** Input of a mutation. */
export interface MutatedCall {
  readonly request: VersionedAttributes;
  readonly namespace: object | undefined;
  readonly parameters: KubeObject | undefined;
  readonly context: EvaluationContext;
}

/**
 * A compiled MutatingAdmissionPolicy.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/mutating/compilation.go
 */
export class MutatingPolicy {
  readonly conditions: MatchConditions;
  readonly mutations: readonly CompiledMutation[];
  readonly #variables: readonly WrittenVariable[];

  private constructor(
    { conditions, variables }: Omit<CompiledParts, 'compiler'>,
    mutations: readonly CompiledMutation[],
  ) {
    this.conditions = conditions;
    this.mutations = mutations;
    this.#variables = variables;
  }

  /** Compiles a policy, in steps. */
  static *compile(policy: MutatingAdmissionPolicy, dependencies: CompileDependencies): Generator<void, MutatingPolicy> {
    const parts = yield* compileParts(policy, dependencies);
    const mutations: CompiledMutation[] = [];
    for (const mutation of policy.spec.mutations ?? []) {
      mutations.push(yield* compiledMutation(parts.compiler, mutation));
      yield;
    }
    return new MutatingPolicy(parts, mutations);
  }

  /**
   * The object of a request after a mutation; it is decoded, without defaults, and shares parts with the object before.
   * Throws, or rejects with, a MutationError, an OutOfBudget or a StatusError.
   */
  mutate({ type, expression }: CompiledMutation, call: MutatedCall): InVersion | Promise<InVersion> {
    const { request, namespace, parameters, context } = call;
    if ('error' in expression.compiled) throw new MutationError(expression.compiled.error);
    const { resource } = request.version;
    const inputs = { request, resource, namespace, params: parameters, hasAuthorizer: true };
    const activation = new Activation(inputs, { context, variables: this.#variables, budget: CALL_BUDGET });
    const evaluated = activation.evaluateAll([expression]);
    return evaluated instanceof Promise
      ? evaluated.then((outcomes) => mutated(type, call, outcomes))
      : mutated(type, call, evaluated);
  }
}

function mutated(
  type: CompiledMutation['type'],
  { request, context }: MutatedCall,
  [outcome]: Outcomes,
): InVersion | Promise<InVersion> {
  if (outcome === undefined) throw new TypeError('a mutation has no outcome');
  if ('error' in outcome) throw new MutationError(outcome.error);
  return type === 'jsonPatch'
    ? applyPolicyPatch(request, outcome.value, context)
    : { version: request.version, object: applyConfiguration(request, outcome.value) };
}

function* compiledMutation(compiler: PolicyCompiler, mutation: Mutation): Generator<void, CompiledMutation> {
  const type = mutation.patchType === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration';
  const text = mutation[type]?.expression ?? '';
  return { type, expression: { text, compiled: yield* compiler.compileSteps(text, type) } };
}
