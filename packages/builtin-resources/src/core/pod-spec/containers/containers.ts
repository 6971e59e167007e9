import type { Container, EphemeralContainer, VolumeMount } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import type { PodSpecScope } from '../pod-spec-scope.js';
import { isRestartableInitContainer } from '../visit-containers.js';
import { validateContainer, validateContainerOfPod } from './container.js';
import { validateHostPortConflicts } from './container-ports.js';
import { validateContainerRestartPolicy, validateInitContainerRestartPolicy } from './container-restart-policy.js';
import { validateLifecycle, validateProbes } from './probes.js';

/**
 * Validates the regular containers, of which there must be one.
 * Upstream: validateContainers of pkg/apis/core/validation/validation.go
 */
export function validateContainers(scope: PodSpecScope, path: FieldPath): FieldError[] {
  const containers = scope.spec.containers ?? [];
  if (containers.length === 0) return [fieldRequired(path, '')];
  const names = new Set<string>();
  return [
    ...containers.flatMap((container, i) => [
      ...validateContainer(container, scope, path.index(i)),
      ...takeName(container.name, names, path.index(i)),
      ...validateLife(container, scope, path.index(i)),
      ...validateContainerRestartPolicy(container, scope.rules, path.index(i)),
    ]),
    ...validateHostPortConflicts(containers, path),
  ];
}

/** Upstream: validateInitContainers */
export function validateInitContainers(scope: PodSpecScope, path: FieldPath): FieldError[] {
  const { spec } = scope;
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  return (spec.initContainers ?? []).flatMap((container, i) => [
    ...validateContainer(container, scope, path.index(i)),
    ...validateInitContainerRestartPolicy(container, scope.rules, path.index(i)),
    ...takeInitName(container.name, names, path.index(i)),
    // Init containers run one after the other, so only ports of the same one can conflict. The path is that of the
    // first one.
    ...validateHostPortConflicts([container], path),
    ...(isRestartableInitContainer(container)
      ? validateLife(container, scope, path.index(i))
      : [...forbidLife(container, path.index(i)), ...validateInitResizePolicy(container, scope, path.index(i))]),
  ]);
}

/** A second container without a name is a duplicate, except among init containers. */
function takeName(name: string, names: Set<string>, path: FieldPath): FieldError[] {
  if (names.has(name)) return [fieldDuplicate(path.child('name'), name)];
  names.add(name);
  return [];
}

function takeInitName(name: string, names: Set<string>, path: FieldPath): FieldError[] {
  return name || names.has(name) ? takeName(name, names, path) : [];
}

function validateLife(container: Container, { spec }: PodSpecScope, path: FieldPath): FieldError[] {
  const gracePeriod = spec.terminationGracePeriodSeconds;
  const { lifecycle } = container;
  return [
    ...(lifecycle === undefined ? [] : validateLifecycle(lifecycle, spec, path.child('lifecycle'))),
    ...validateProbes(container, gracePeriod, path),
  ];
}

function forbidLife(container: Container, path: FieldPath): FieldError[] {
  const fields = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;
  const message = 'may not be set for init containers without restartPolicy=Always';
  return fields
    .filter((field) => container[field] !== undefined)
    .map((field) => fieldForbidden(path.child(field), message));
}

function validateInitResizePolicy(container: Container, { rules }: PodSpecScope, path: FieldPath): FieldError[] {
  if (rules.allowRestartContainerForInitContainers) return [];
  return (container.resizePolicy ?? []).flatMap(({ restartPolicy }, i) => {
    if (restartPolicy !== 'RestartContainer') return [];
    const message = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    const place = path.child('resizePolicy').index(i).child('restartPolicy');
    return [fieldInvalid(place, printedAsJson(restartPolicy), message)];
  });
}

/** Fields forbidden for ephemeral containers, on which the pod must not depend. */
const NOT_FOR_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;
const NOT_FOR_EPHEMERAL_MESSAGE = 'cannot be set for an Ephemeral Container';

/** Upstream: validateEphemeralContainers */
export function validateEphemeralContainers(scope: PodSpecScope, path: FieldPath): FieldError[] {
  const { spec } = scope;
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, i) => {
    const place = path.index(i);
    const errors = [
      ...validateContainer(container, scope, place),
      ...validateContainerOfPod(container, place),
      ...takeName(container.name, names, place),
    ];
    const target = container.targetContainerName;
    if (target && !others.has(target)) errors.push(fieldNotFound(place.child('targetContainerName'), target));
    return [...errors, ...forbidNonEphemeral(container, place)];
  });
}

function forbidNonEphemeral(container: EphemeralContainer, path: FieldPath): FieldError[] {
  const set = NOT_FOR_EPHEMERAL.filter((field) => isSet(field, container[field]));
  return [
    ...set.map((field) => fieldForbidden(path.child(field), NOT_FOR_EPHEMERAL_MESSAGE)),
    ...(container.volumeMounts ?? []).flatMap((mount, i) => forbidSubPaths(mount, path.child('volumeMounts').index(i))),
  ];
}

/** An empty lifecycle counts, empty resources do not: upstream has them in every container. */
function isSet(field: (typeof NOT_FOR_EPHEMERAL)[number], value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return field !== 'resources' || Object.keys(value).length > 0;
}

function forbidSubPaths(mount: VolumeMount, path: FieldPath): FieldError[] {
  const fields = (['subPath', 'subPathExpr'] as const).filter((field) => mount[field]);
  return fields.map((field) => fieldForbidden(path.child(field), NOT_FOR_EPHEMERAL_MESSAGE));
}
