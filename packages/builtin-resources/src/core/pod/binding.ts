import { Binding, type Pod } from '@apiserver/api/core/v1';
import type { Preconditions } from '@apiserver/apimachinery';
import { newBadRequest, newConflict, plainFailure } from '@apiserver/apimachinery/errors';
import {
  aggregateFieldErrors,
  type FieldError,
  FieldPath,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type {
  Creater,
  GenericStore,
  Strategy,
  SubresourceDefinition,
  VerbContext,
} from '@apiserver/apiserver-contracts';
import { successStatus } from '../../review/success-status.js';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { setPodCondition } from './conditions.js';

const PODS_BINDING = { group: '', resource: 'pods/binding' };
const TARGET = FieldPath.of('target');

/**
 * Assigns a pod to a node, as a scheduler requests. Only a binding can assign an existing pod.
 * Upstream: BindingREST of pkg/registry/core/pod/storage/storage.go
 */
export function podBinding(strategy: Strategy<Pod>, features: PodFeatures): SubresourceDefinition<Pod> {
  return {
    strategy,
    verbs: ['create'],
    schema: Binding,
    preservesSystemFields: true,
    override: (pods) => podBindings(pods, features),
  };
}

function podBindings(pods: GenericStore<Pod>, features: PodFeatures): Creater<Binding> {
  return {
    async create(context, binding, validate, { dryRun }) {
      const name = podNameOf(context, binding);
      const errors = validatePodBinding(binding);
      // Upstream returns these errors unchanged, without a reason.
      if (errors.length > 0) throw plainFailure(500, aggregateFieldErrors(errors));
      await validate(cloneJson(binding));
      const preconditions = preconditionsOf(binding);
      const options = { preconditions, ...(dryRun === undefined ? undefined : { dryRun }) };
      await pods.modify(ofPods(context), name, options, (pod, current) => {
        refuseBound(current);
        bind(pod, binding, features);
        setPodCondition(pod.status, { type: 'PodScheduled', status: 'True' }, pods.now());
      });
      return successStatus<Binding>();
    },
  };
}

/** The context of a request for pods, so that storage errors name pods. */
function ofPods(context: VerbContext): VerbContext {
  const { namespace, user, warnings } = context;
  return { namespace, user, warnings, requestInfo: undefined, signal: context.signal };
}

/** In the collection `bindings`, the path has no pod name. */
function podNameOf({ requestInfo }: VerbContext, { metadata }: Binding): string {
  const named = metadata.name ?? '';
  const name = requestInfo?.name || named;
  if (name !== named) throw newBadRequest('name in URL does not match name in Binding object');
  return name;
}

/** Upstream: ValidatePodBinding of pkg/apis/core/validation/validation.go */
export function validatePodBinding({ target }: Binding): readonly FieldError[] {
  const { kind, name } = target;
  const errors: FieldError[] = [];
  if (kind && kind !== 'Node') errors.push(fieldNotSupported(TARGET.child('kind'), kind, ['Node', '<empty>']));
  if (!name) errors.push(fieldRequired(TARGET.child('name'), ''));
  return errors;
}

function preconditionsOf({ metadata: { uid, resourceVersion } }: Binding): Preconditions {
  return { ...(uid ? { uid } : undefined), ...(resourceVersion ? { resourceVersion } : undefined) };
}

function refuseBound({ metadata, spec }: Pod): void {
  const { name = '', deletionTimestamp } = metadata;
  const conflict = (why: string) => newConflict(PODS_BINDING, name, `pod ${name} ${why}`);
  if (deletionTimestamp) throw conflict('is being deleted, cannot be assigned to a host');
  if (spec.nodeName) throw conflict(`is already assigned to node ${quote(spec.nodeName)}`);
  if ((spec.schedulingGates ?? []).length > 0) throw conflict('has non-empty .spec.schedulingGates');
}

/** Upstream: setPodNodeAndMetadata. Mutates `pod`. */
function bind(pod: Pod, { metadata, target }: Binding, features: PodFeatures): void {
  pod.spec.nodeName = target.name ?? '';
  if (features.ClearingNominatedNodeNameAfterBinding) delete pod.status.nominatedNodeName;
  if (metadata.annotations !== undefined) {
    pod.metadata.annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  }
  if (!features.PodTopologyLabelsAdmission || metadata.labels === undefined) return;
  pod.metadata.labels = { ...pod.metadata.labels, ...metadata.labels };
}
