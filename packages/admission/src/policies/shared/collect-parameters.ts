import type { ParamRef } from '@apiserver/api/admissionregistration/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { type LabelSelector, labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import type { ParameterKind, ParameterView } from './parameter-kinds.js';

/** The parameters of a binding for one request. A policy without parameters is evaluated once, with none. */
export type CollectedParameters =
  | { readonly parameters: readonly (KubeObject | undefined)[] }
  | { readonly fault: string };

/** Objects after which the time slice is checked. */
const MATCHED_AT_ONCE = 8;

const NO_PARAMETERS: CollectedParameters = { parameters: [undefined] };

/**
 * Finds the parameters of a binding. A promise only if it has any.
 * Upstream: CollectParams of k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go
 */
export function collectParameters(
  kind: ParameterKind | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): CollectedParameters | Promise<CollectedParameters> {
  return kind === undefined || ref === undefined ? NO_PARAMETERS : collect(kind, ref, namespace);
}

async function collect(kind: ParameterKind, ref: ParamRef, namespace: string): Promise<CollectedParameters> {
  const view = await kind.view();
  if (view === undefined) return { fault: kind.unknown };
  const { namespaced } = view.mapping;
  const parametersNamespace = namespaced ? ref.namespace || namespace : '';
  if (namespaced && parametersNamespace === '') {
    return { fault: 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources' };
  }
  if (!(await kind.synced(view))) return { fault: kind.notSynced };
  if (!namespaced && ref.namespace) {
    return { fault: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' };
  }
  const found = await find(view, ref, parametersNamespace);
  if ('fault' in found) return found;
  if (found.objects.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    return { fault: 'no params found for policy binding with `Deny` parameterNotFoundAction' };
  }
  return { parameters: found.objects.map((object) => typed(object, kind)) };
}

type Found = { readonly objects: readonly KubeObject[] } | { readonly fault: string };

async function find({ informer }: ParameterView, { name, selector }: ParamRef, namespace: string): Promise<Found> {
  if (name) {
    if (selector !== undefined) return { fault: 'paramRef.name and paramRef.selector are mutually exclusive' };
    const object = informer.get(namespace, name);
    return { objects: object === undefined ? [] : [object] };
  }
  if (selector === undefined) return { fault: 'one of name or selector must be provided' };
  try {
    const selected = labelSelectorAsSelector(selector);
    const objects = namespace === '' ? informer.list() : informer.list(namespace);
    return { objects: await matching(objects, selected) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

async function matching(objects: readonly KubeObject[], selector: LabelSelector): Promise<readonly KubeObject[]> {
  const slice = new TimeSlice();
  const found: KubeObject[] = [];
  for (const [i, object] of objects.entries()) {
    if (slice.overAt(i, MATCHED_AT_ONCE, 0)) await slice.yield();
    if (selector.matches(object.metadata.labels)) found.push(object);
  }
  return found;
}

/** Expressions read the kind of parameters, too. */
function typed(object: KubeObject, { apiVersion, kind }: ParameterKind): KubeObject {
  return object.kind === undefined ? { ...object, apiVersion, kind } : object;
}
