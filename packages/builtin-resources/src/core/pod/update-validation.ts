import {
  type Container,
  NodeAffinity,
  NodeSelectorTerm,
  type Pod,
  PodSpec,
  type Toleration,
} from '@apiserver/api/core/v1';
import {
  appendAll,
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
} from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import { equalSemantically, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { goForm } from '../../text/go-form.js';
import { printableDifference } from '../../text/printable-difference.js';
import { validateContainerOfPod } from '../pod-spec/containers/container.js';
import { validatePodAnnotationsUpdate } from '../pod-spec/pod-annotations.js';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { validateActiveDeadline } from '../pod-spec/pod-spec.js';
import { podRules } from '../pod-spec/pod-spec-rules.js';
import { printedPodSpec } from '../pod-spec/printed-pod-spec.js';
import { validateRequired } from '../validation/required-field.js';
import { validateTolerations } from '../validation/tolerations.js';
import { METADATA, SPEC, validatePodMetadataAndSpec } from './validation.js';

const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/**
 * Few fields of a pod's spec are mutable: images, a shorter deadline, more tolerations, fewer gates. For a gated pod,
 * scheduling constraints may also be narrowed.
 * Upstream: ValidatePodUpdate of pkg/apis/core/validation/validation.go
 */
export function validatePodUpdate(pod: Pod, old: Pod, features: PodFeatures): readonly FieldError[] {
  const rules = podRules(features, old);
  const errors = [
    ...validateBuiltInObjectMetaUpdate(pod.metadata, old.metadata),
    ...validatePodMetadataAndSpec(pod, rules),
    ...validatePodAnnotationsUpdate(pod, old, rules, METADATA.child('annotations')),
  ];
  const { spec } = pod;
  for (const field of ['containers', 'initContainers'] as const) {
    const path = SPEC.child(field);
    if ((spec[field] ?? []).length !== (old.spec[field] ?? []).length) {
      return [...errors, fieldForbidden(path, 'pod updates may not add or remove containers')];
    }
    appendAll(errors, validateImages(spec[field] ?? [], path));
  }
  const deadline = validateDeadlineUpdate(spec, old.spec, SPEC.child('activeDeadlineSeconds'));
  appendAll(errors, deadline);
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return errors;
  const tolerations = SPEC.child('tolerations');
  appendAll(errors, validateAddedTolerations(spec, old.spec, rules.allowTolerationComparisons, tolerations));
  appendAll(errors, validateRemovedGates(spec, old.spec, SPEC.child('schedulingGates')));
  appendAll(errors, validateNarrowedPlacement(spec, old.spec));
  const munged = withUnchangeable(spec, old.spec);
  if (equalSemantically(munged, old.spec, PodSpec)) return errors;
  const difference = printableDifference(old.spec, munged, printedPodSpec);
  const message = `pod updates may not change fields other than ${CHANGEABLE}\n${difference}`;
  return [...errors, fieldForbidden(SPEC, message)];
}

function validateImages(containers: readonly Container[], path: FieldPath): FieldError[] {
  return containers.flatMap((container, i) => [
    ...validateRequired(container.image, path.index(i).child('image')),
    ...validateContainerOfPod(container, path.index(i)),
  ]);
}

function validateDeadlineUpdate(
  { activeDeadlineSeconds: seconds }: PodSpec,
  { activeDeadlineSeconds: before }: PodSpec,
  path: FieldPath,
): FieldError[] {
  if (seconds === undefined) {
    return before === undefined
      ? []
      : [fieldInvalid(path, undefined, 'must not update from a positive integer to nil value')];
  }
  const errors = validateActiveDeadline(seconds, 0, path);
  if (errors.length > 0 || before === undefined || seconds <= before) return errors;
  return [fieldInvalid(path, seconds, 'must be less than or equal to previous value')];
}

/** Only tolerationSeconds of an existing toleration is mutable. Upstream: validateOnlyAddedTolerations */
function validateAddedTolerations(
  { tolerations = [] }: PodSpec,
  { tolerations: old = [] }: PodSpec,
  allowComparisons: boolean,
  path: FieldPath,
): FieldError[] {
  const known = new Set(tolerations.map(lasting));
  if (old.every((toleration) => known.has(lasting(toleration)))) {
    return validateTolerations(tolerations, allowComparisons, path);
  }
  return [fieldForbidden(path, 'existing toleration can not be modified except its tolerationSeconds')];
}

function lasting({ key = '', operator = '', value = '', effect = '' }: Toleration): string {
  return JSON.stringify([key, operator, value, effect]);
}

function validateRemovedGates(spec: PodSpec, old: PodSpec, path: FieldPath): FieldError[] {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  const added = new Map((spec.schedulingGates ?? []).map(({ name }, i) => [name, i]));
  return [...added].flatMap(([name, i]) => {
    if (known.has(name)) return [];
    const message = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [fieldForbidden(path.index(i).child('name'), message)];
  });
}

/** The scheduling constraints of a gated pod may be narrowed. */
function validateNarrowedPlacement(spec: PodSpec, old: PodSpec): FieldError[] {
  if (!isGated(old)) return [];
  const errors: FieldError[] = [];
  const selector = spec.nodeSelector ?? {};
  if (Object.entries(old.nodeSelector ?? {}).some(([key, value]) => selector[key] !== value)) {
    const message = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    errors.push(fieldInvalid(SPEC.child('nodeSelector'), spec.nodeSelector, message));
  }
  const before = old.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (before === undefined || before === null || before.length === 0) return errors;
  const after = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const path = SPEC.child('affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution').child(
    'nodeSelectorTerms',
  );
  return [...errors, ...validateNarrowedTerms(after, before, path)];
}

function validateNarrowedTerms(
  after: readonly NodeSelectorTerm[] | null | undefined,
  before: readonly NodeSelectorTerm[],
  path: FieldPath,
): FieldError[] {
  if (after?.length !== before.length) {
    const message = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    const printed = after?.map((term) => goForm(NodeSelectorTerm, term));
    return [fieldInvalid(path, printed, message)];
  }
  return after.flatMap((term, i) => {
    const old = before[i] ?? {};
    const narrows = isEmptyTerm(old) ? isEmptyTerm(term) : equalSemantically(startOf(term, old), old, NodeSelectorTerm);
    if (narrows) return [];
    return [
      fieldInvalid(
        path.index(i),
        goForm(NodeSelectorTerm, term),
        'only additions are allowed (no mutations or deletions)',
      ),
    ];
  });
}

/** An empty term selects no node: expressions would add nodes. */
function isEmptyTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  return matchExpressions.length === 0 && matchFields.length === 0;
}

/** The first requirements of a term, as many as `old` has. */
function startOf(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { matchExpressions: expressions = [], matchFields: fields = [] }: NodeSelectorTerm,
): NodeSelectorTerm {
  return {
    matchExpressions: matchExpressions.slice(0, expressions.length),
    matchFields: matchFields.slice(0, fields.length),
  };
}

function isGated({ schedulingGates = [] }: PodSpec): boolean {
  return schedulingGates.length > 0;
}

/** The spec with the old values of all mutable fields. */
function withUnchangeable(spec: PodSpec, old: PodSpec): PodSpec {
  const munged = cloneJson(spec);
  for (const field of ['containers', 'initContainers'] as const) {
    for (const [i, container] of (munged[field] ?? []).entries()) restore(container, old[field]?.[i], ['image']);
  }
  restore(munged, old, ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']);
  const grace = old.terminationGracePeriodSeconds ?? 0;
  if (grace < 0 && Number(spec.terminationGracePeriodSeconds) === 1) munged.terminationGracePeriodSeconds = grace;
  if (!isGated(old)) return munged;
  restore(munged, old, ['nodeSelector']);
  restoreNodeAffinity(munged, old);
  return munged;
}

/** An affinity is restored only with a part that differs: an empty one differs from none. Mutates `munged`. */
function restoreNodeAffinity(munged: PodSpec, old: PodSpec): void {
  const before = old.affinity?.nodeAffinity;
  if (equalSemantically(before, munged.affinity?.nodeAffinity, NodeAffinity)) return;
  const { nodeAffinity: _after, ...others } = munged.affinity ?? {};
  if (before !== undefined) munged.affinity = { ...others, nodeAffinity: before };
  else if (old.affinity === undefined && Object.keys(others).length === 0) delete munged.affinity;
  else munged.affinity = others;
}

/** Sets fields to their values in `old`, or deletes them. Mutates `target`. */
function restore<T extends object>(target: T, old: T | undefined, fields: readonly (keyof T)[]): void {
  for (const field of fields) {
    if (old?.[field] === undefined) delete target[field];
    else target[field] = old[field];
  }
}
