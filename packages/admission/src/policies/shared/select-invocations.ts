import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, EndpointVersion } from '@apiserver/apiserver-contracts';
import type { MatchCriteria } from '../../matching/match-criteria.js';
import type { RequestMatcher } from '../../matching/request-matcher.js';
import { type CollectedParameters, collectParameters } from './collect-parameters.js';
import type { ParameterKind } from './parameter-kinds.js';
import type { AnyBinding, AnyPolicy, CriteriaFault, HookBinding, PolicyHook } from './policy-hook.js';

/** A policy and a binding that select a request, with the parameters to evaluate them with. */
export interface Invocation<P extends AnyPolicy, B extends AnyBinding, E> {
  readonly hook: PolicyHook<P, B, E>;
  readonly binding: HookBinding<B>;
  /** The version in which the policy selects the request. */
  readonly version: EndpointVersion;
  readonly parameters: readonly (KubeObject | undefined)[];
}

/** A policy or a binding that is wrong, and selects the request as far as one can tell. */
export interface InvocationFault<P extends AnyPolicy, B extends AnyBinding, E> {
  readonly hook: PolicyHook<P, B, E>;
  /** Undefined if the policy itself is wrong. */
  readonly binding: HookBinding<B> | undefined;
  readonly fault: string;
}

/** The outcome of matching a policy. */
interface MatchedHook<P extends AnyPolicy, B extends AnyBinding, E> {
  readonly hook: PolicyHook<P, B, E>;
  readonly matched: EndpointVersion | CriteriaFault;
}

/** A request and the matcher of it. */
export interface Selection {
  readonly attributes: AdmissionAttributes;
  readonly matcher: RequestMatcher;
}

/** Policies, or bindings, after which the time slice is checked. */
const HOOKS_AT_ONCE = 16;

/**
 * Selects the policies and bindings for a request, in their order. Returns undefined, not a promise, if no policy
 * selects the request; that is the usual case.
 *
 * Upstream: policyDispatcher.Dispatch of k8s.io/apiserver/pkg/admission/plugin/policy/generic
 */
export function selectInvocations<P extends AnyPolicy, B extends AnyBinding, E>(
  hooks: readonly PolicyHook<P, B, E>[],
  selection: Selection,
): Promise<readonly (Invocation<P, B, E> | InvocationFault<P, B, E>)[]> | undefined {
  const matched: PendingMatch<P, B, E>[] = [];
  const slice = new TimeSlice();
  for (const [index, hook] of hooks.entries()) {
    addMatch(matched, hook, selection);
    if (slice.overAt(index, HOOKS_AT_ONCE, 0)) return selectLater(hooks.slice(index + 1), matched, selection);
  }
  return matched.length === 0 ? undefined : invocationsOf(matched, selection);
}

/** The same in turns: thousands of policies may exist. */
async function selectLater<P extends AnyPolicy, B extends AnyBinding, E>(
  hooks: readonly PolicyHook<P, B, E>[],
  matched: PendingMatch<P, B, E>[],
  selection: Selection,
): Promise<readonly (Invocation<P, B, E> | InvocationFault<P, B, E>)[]> {
  const slice = new TimeSlice();
  await slice.yield();
  for (const [index, hook] of hooks.entries()) {
    addMatch(matched, hook, selection);
    if (slice.overAt(index, HOOKS_AT_ONCE, 0)) await slice.yield();
  }
  return invocationsOf(matched, selection);
}

type PendingMatch<P extends AnyPolicy, B extends AnyBinding, E> =
  | MatchedHook<P, B, E>
  | Promise<MatchedHook<P, B, E> | undefined>;

function addMatch<P extends AnyPolicy, B extends AnyBinding, E>(
  matched: PendingMatch<P, B, E>[],
  hook: PolicyHook<P, B, E>,
  selection: Selection,
): void {
  const found = matchOf(selection, hook.criteria);
  if (found instanceof Promise) {
    matched.push(found.then((later) => (later === undefined ? undefined : { hook, matched: later })));
  } else if (found !== undefined) {
    matched.push({ hook, matched: found });
  }
}

async function invocationsOf<P extends AnyPolicy, B extends AnyBinding, E>(
  matched: readonly PendingMatch<P, B, E>[],
  selection: Selection,
): Promise<readonly (Invocation<P, B, E> | InvocationFault<P, B, E>)[]> {
  const invocations: (Invocation<P, B, E> | InvocationFault<P, B, E>)[] = [];
  const slice = new TimeSlice();
  let index = 0;
  // Most policies have no parameters and match at once: they await nothing.
  const found = matched.some((match) => match instanceof Promise) ? await Promise.all(matched) : matched;
  for (const match of found) {
    if (match === undefined || match instanceof Promise) continue;
    const { hook, matched: version } = match;
    const unknown = 'fault' in version ? version.fault : hook.parameters && (await unknownKind(hook.parameters));
    if (unknown !== undefined || 'fault' in version) {
      invocations.push({ hook, binding: undefined, fault: unknown ?? '' });
      continue;
    }
    for (const binding of hook.bindings) {
      const made = invocationOf(hook, binding, version, selection);
      const invocation = made instanceof Promise ? await made : made;
      if (invocation !== undefined) invocations.push(invocation);
      if (slice.overAt(index++, HOOKS_AT_ONCE, 0)) await slice.yield();
    }
  }
  return invocations;
}

/** The error of a policy whose kind of parameters is unknown. */
async function unknownKind(parameters: ParameterKind): Promise<string | undefined> {
  return (await parameters.view()) === undefined ? parameters.unknown : undefined;
}

/** Undefined if the binding does not select the request. */
type Invoked<P extends AnyPolicy, B extends AnyBinding, E> = Invocation<P, B, E> | InvocationFault<P, B, E> | undefined;

function invocationOf<P extends AnyPolicy, B extends AnyBinding, E>(
  hook: PolicyHook<P, B, E>,
  binding: HookBinding<B>,
  version: EndpointVersion,
  selection: Selection,
): Invoked<P, B, E> | Promise<Invoked<P, B, E>> {
  const invoked = (
    found: EndpointVersion | CriteriaFault | undefined,
  ): Invoked<P, B, E> | Promise<Invoked<P, B, E>> => {
    if (found === undefined) return undefined;
    if ('fault' in found) return { hook, binding, fault: found.fault };
    const { namespace } = selection.attributes;
    const collected = collectParameters(hook.parameters, binding.binding.spec.paramRef, namespace);
    const withParameters = (result: CollectedParameters): Invoked<P, B, E> =>
      'fault' in result
        ? { hook, binding, fault: result.fault }
        : { hook, binding, version, parameters: result.parameters };
    return collected instanceof Promise ? collected.then(withParameters) : withParameters(collected);
  };
  const found = binding.criteria === undefined ? version : matchOf(selection, binding.criteria);
  return found instanceof Promise ? found.then(invoked) : invoked(found);
}

/** The version that criteria select; a fault if they cannot be evaluated. Does not reject. */
function matchOf(
  { attributes, matcher }: Selection,
  criteria: MatchCriteria | CriteriaFault,
): EndpointVersion | CriteriaFault | undefined | Promise<EndpointVersion | CriteriaFault | undefined> {
  if ('fault' in criteria) return criteria;
  try {
    const found = matcher.match(attributes, criteria);
    return found instanceof Promise ? found.catch(faultOf) : found;
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): CriteriaFault {
  return { fault: messageOf(error) };
}
