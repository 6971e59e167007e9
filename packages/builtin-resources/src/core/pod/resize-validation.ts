import { Container, type Pod, PodSpec, type ResourceRequirements } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import type { Quantity } from '@apiserver/apimachinery/values';
import { equalSemantically, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { MIRROR_ANNOTATION } from '../pod-spec/pod-annotations.js';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { podRules } from '../pod-spec/pod-spec-rules.js';
import { qosClassOf } from '../pod-spec/qos-class.js';
import { isRestartableInitContainer } from '../pod-spec/visit-containers.js';
import { amountOf } from '../resource-amounts.js';
import { SPEC, validatePodMetadataAndSpec } from './validation.js';

type Amounts = Readonly<Record<string, string>> | undefined;

const WHOLE = FieldPath.of('');
const NO_POD_LEVEL_RESIZE =
  'resize of pods with pod-level resources is forbidden when ' +
  'InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled';

/**
 * Allows changes of cpu and memory, of containers and the pod itself, if no amount is removed and the QoS class
 * stays.
 * Upstream: ValidatePodResize of pkg/apis/core/validation/validation.go
 */
export function validatePodResize(pod: Pod, old: Pod, features: PodFeatures): readonly FieldError[] {
  const { spec } = pod;
  const refused = unresizable(old);
  if (refused !== undefined) return [fieldForbidden(WHOLE, refused)];
  const errors = [
    ...validateBuiltInObjectMetaUpdate(pod.metadata, old.metadata),
    ...validatePodMetadataAndSpec(pod, podRules(features, old)),
    ...validateServiceClass(pod, old, features),
    ...validateNodeSupport(old),
  ];
  if (hasAmounts(spec.resources) || hasAmounts(old.spec.resources)) {
    if (!features.InPlacePodLevelResourcesVerticalScaling) {
      return [...errors, fieldForbidden(WHOLE, NO_POD_LEVEL_RESIZE)];
    }
    errors.push(...validatePodLevelResources(spec, old.spec));
  }
  if ((old.status.nodeAllocatableResourceClaimStatuses ?? []).length > 0) {
    errors.push(fieldForbidden(SPEC, 'pods with node allocatable resource claims cannot be resized'));
  }
  const moved = [...validateOrder(spec, old.spec, 'containers'), ...validateOrder(spec, old.spec, 'initContainers')];
  // Further validation needs the same containers.
  if (moved.length > 0) return [...errors, ...moved];
  errors.push(
    ...validateNothingRemoved(spec, old.spec, features),
    ...validateContainers(spec, old.spec),
    ...validateInitContainers(spec, old.spec, features),
  );
  return errors.length > 0 ? errors : validateRest(spec, old.spec);
}

/** Upstream: validatePodResizeContainerOrdering */
function validateOrder(spec: PodSpec, old: PodSpec, field: 'containers' | 'initContainers'): FieldError[] {
  const [after, before] = [spec[field] ?? [], old[field] ?? []];
  const path = SPEC.child(field);
  if (after.length !== before.length) {
    return [fieldForbidden(path, `${field} may not be added or removed on resize`)];
  }
  const moved = `${field} may not be renamed or reordered on resize`;
  return before.flatMap(({ name }, i) =>
    name === after[i]?.name ? [] : [fieldForbidden(path.index(i).child('name'), moved)],
  );
}

/** All other fields of the spec are immutable. Pod-level resources without amounts count among them. */
function validateRest(spec: PodSpec, old: PodSpec): FieldError[] {
  const areJudged = hasAmounts(spec.resources) || hasAmounts(old.resources);
  const rest = ({ containers: _c, initContainers: _i, resources, ...others }: PodSpec) =>
    areJudged || resources === undefined ? others : { ...others, resources };
  if (equalSemantically(rest(spec), rest(old), PodSpec)) return [];
  return [fieldForbidden(SPEC, 'only cpu and memory resources are mutable')];
}

/** The reason why no container of the pod can be resized. */
function unresizable({ metadata, spec }: Pod): string | undefined {
  if (metadata.annotations?.[MIRROR_ANNOTATION] !== undefined) return 'static pods cannot be resized';
  return spec.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

function validateServiceClass(pod: Pod, old: Pod, features: PodFeatures): FieldError[] {
  if ((old.status.qosClass || qosClassOf(old.spec, features)) === qosClassOf(pod.spec, features)) return [];
  return [fieldInvalid(SPEC, pod.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')];
}

/** A node with support reports the resources of running containers. */
function validateNodeSupport({ status }: Pod): FieldError[] {
  const running = (status.containerStatuses ?? []).find(({ state }) => state.running !== undefined);
  if (running === undefined || running.resources !== undefined) return [];
  return [fieldForbidden(SPEC, 'Pod running on node without support for resize')];
}

function validatePodLevelResources({ resources }: PodSpec, { resources: old }: PodSpec): FieldError[] {
  const path = SPEC.child('resources');
  if (old !== undefined && resources === undefined) {
    return [fieldForbidden(path, 'pod-level resources cannot be removed')];
  }
  const errors = old === undefined ? [] : validateKept(resources, old, path, 'pod-level resource');
  const munged = withOldAmounts(resources ?? {}, old);
  if (equalResources(munged, old ?? {})) return errors;
  return [...errors, fieldForbidden(SPEC, 'only cpu and memory resources are mutable at pod-level')];
}

function hasAmounts(resources: ResourceRequirements | undefined): boolean {
  return Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0;
}

/** Init containers that cannot be resized are judged as a whole. */
function validateNothingRemoved(spec: PodSpec, old: PodSpec, features: PodFeatures): FieldError[] {
  return (['initContainers', 'containers'] as const).flatMap((field) =>
    (old[field] ?? []).flatMap((before, i) => {
      if (field === 'initContainers' && !isResizableInitContainer(before, features)) return [];
      const path = SPEC.child(field).index(i).child('resources');
      return validateKept(spec[field]?.[i]?.resources, before.resources, path, 'resource');
    }),
  );
}

function isResizableInitContainer(container: Container, features: PodFeatures): boolean {
  return features.InPlacePodVerticalScalingInitContainers || isRestartableInitContainer(container);
}

function validateKept(
  resources: ResourceRequirements | undefined,
  old: ResourceRequirements,
  path: FieldPath,
  what: string,
): FieldError[] {
  return (['requests', 'limits'] as const).flatMap((list) => {
    const amounts = resources?.[list] ?? {};
    const isKept = Object.keys(old[list] ?? {}).every((name) => Object.hasOwn(amounts, name));
    return isKept ? [] : [fieldForbidden(path.child(list), `${what} ${list} cannot be removed`)];
  });
}

function validateContainers(spec: PodSpec, old: PodSpec): FieldError[] {
  return (spec.containers ?? []).flatMap((container, i) => {
    if (onlyCountsDiffer(container, old.containers?.[i])) return [];
    return [fieldForbidden(SPEC, 'only cpu and memory resources are mutable')];
  });
}

function validateInitContainers(spec: PodSpec, old: PodSpec, features: PodFeatures): FieldError[] {
  return (spec.initContainers ?? []).flatMap((container, i) => {
    const before = old.initContainers?.[i];
    const isModified = !isSameContainer(container, before);
    if (!isResizableInitContainer(container, features)) {
      // The path is that of the spec, as upstream.
      return isModified ? [fieldForbidden(SPEC, 'resources for non-sidecar init containers are immutable')] : [];
    }
    const path = SPEC.child('initContainers').index(i);
    const errors: FieldError[] = [];
    if (!onlyCountsDiffer(container, before)) {
      const message = 'only cpu and memory resources for init or sidecar containers are mutable';
      errors.push(fieldForbidden(path, message));
    }
    if (!isModified || isRestartableInitContainer(container)) return errors;
    const restarts = (container.resizePolicy ?? []).filter(({ restartPolicy }) => restartPolicy === 'RestartContainer');
    const message = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
    return [...errors, ...restarts.map(() => fieldForbidden(path, message))];
  });
}

/** Reports whether containers differ only in amounts of cpu and memory. */
function onlyCountsDiffer(container: Container, old: Container | undefined): boolean {
  return isSameContainer({ ...container, resources: withOldAmounts(container.resources, old?.resources) }, old);
}

function isSameContainer({ resources, ...container }: Container, old: Container | undefined): boolean {
  if (old === undefined) return false;
  const { resources: before, ...rest } = old;
  return equalSemantically(container, rest, Container) && equalResources(resources, before);
}

/** Compares amounts by value, not by notation. */
function equalResources(a: ResourceRequirements, b: ResourceRequirements): boolean {
  const sameList = (x: Amounts = {}, y: Amounts = {}) =>
    Object.keys({ ...x, ...y }).every((name) => sameAmount(amountOf(x, name), amountOf(y, name)));
  return sameList(a.requests, b.requests) && sameList(a.limits, b.limits) && equalJson(a.claims ?? [], b.claims ?? []);
}

function sameAmount(a: Quantity | undefined, b: Quantity | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.equals(b);
}

/**
 * The resources with the old cpu and memory. Claims of a container are omitted, so that one with claims cannot be
 * resized.
 * Upstream: dropCPUMemoryResourcesFromContainer of pkg/apis/core/validation/validation.go
 */
function withOldAmounts(resources: ResourceRequirements, old: ResourceRequirements | undefined): ResourceRequirements {
  const munged: ResourceRequirements = {};
  for (const list of ['requests', 'limits'] as const) {
    const { cpu: _cpu, memory: _memory, ...others } = resources[list] ?? {};
    const { cpu, memory } = old?.[list] ?? {};
    munged[list] = {
      ...others,
      ...(cpu === undefined ? undefined : { cpu }),
      ...(memory === undefined ? undefined : { memory }),
    };
  }
  return munged;
}
