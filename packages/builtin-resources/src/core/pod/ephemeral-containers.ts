import { EphemeralContainer, type Pod, PodSpec } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';
import { cloneJson, definedMembers } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange, equalSemantically, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { goForm } from '../../text/go-form.js';
import { arePrintable, UNPRINTED_DIFFERENCE } from '../../text/printable-difference.js';
import { structureDiff } from '../../text/structure-diff.js';
import { disabledFieldsDropper } from '../pod-spec/drop-disabled.js';
import { MIRROR_ANNOTATION, validatePodAnnotationsUpdate } from '../pod-spec/pod-annotations.js';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { podRules } from '../pod-spec/pod-spec-rules.js';
import { METADATA, SPEC, validatePodMetadataAndSpec } from './validation.js';

/**
 * Strategy of the endpoint that adds ephemeral containers to a running pod.
 * Upstream: podEphemeralContainersStrategy of pkg/registry/core/pod/strategy.go
 */
export function ephemeralContainersStrategy(main: Strategy<Pod>, features: PodFeatures): Strategy<Pod> {
  const dropDisabled = disabledFieldsDropper(features);
  return {
    ...main,
    resetFields: [],
    prepareForUpdate(_context, pod, old) {
      const { ephemeralContainers } = pod.spec;
      const { resourceVersion, managedFields } = pod.metadata;
      const kept = cloneJson(old);
      pod.metadata = { ...kept.metadata, ...definedMembers({ resourceVersion, managedFields }) };
      pod.status = kept.status;
      pod.spec = { ...kept.spec };
      delete pod.spec.ephemeralContainers;
      if (ephemeralContainers !== undefined) pod.spec.ephemeralContainers = ephemeralContainers;
      dropDisabled(pod.spec, old.spec);
      countSpecChange(pod, old, PodSpec);
    },
    validateUpdate: (_context, pod, old) => validateEphemeralContainersUpdate(pod, old, features),
    warningsOnUpdate: () => [],
  };
}

/** Upstream: ValidatePodEphemeralContainersUpdate of pkg/apis/core/validation/validation.go */
function validateEphemeralContainersUpdate(pod: Pod, old: Pod, features: PodFeatures): readonly FieldError[] {
  if (old.metadata.annotations?.[MIRROR_ANNOTATION] !== undefined) {
    return [fieldForbidden(FieldPath.of(''), 'static pods do not support ephemeral containers')];
  }
  const path = SPEC.child('ephemeralContainers');
  const rules = podRules(features, old);
  const { ephemeralContainers = [] } = pod.spec;
  const { ephemeralContainers: stored = [] } = old.spec;
  const after = new Map(ephemeralContainers.map((container) => [container.name, container] as const));
  // Of all together: a pod may have many.
  const isPrintable = arePrintable(stored, ephemeralContainers);
  return [
    ...validateBuiltInObjectMetaUpdate(pod.metadata, old.metadata),
    ...validatePodMetadataAndSpec(pod, rules),
    ...validatePodAnnotationsUpdate(pod, old, rules, METADATA.child('annotations')),
    ...stored.flatMap((before) => validateKept(before, after.get(before.name), { path, isPrintable })),
  ];
}

function validateKept(
  before: EphemeralContainer,
  after: EphemeralContainer | undefined,
  { path, isPrintable }: { readonly path: FieldPath; readonly isPrintable: boolean },
): FieldError[] {
  const existing = `existing ephemeral containers ${quote(before.name)} may not be`;
  if (after === undefined) return [fieldForbidden(path, `${existing} removed\n`)];
  if (equalSemantically(before, after, EphemeralContainer)) return [];
  const difference = isPrintable
    ? structureDiff(goForm(EphemeralContainer, before), goForm(EphemeralContainer, after))
    : UNPRINTED_DIFFERENCE;
  return [fieldForbidden(path, `${existing} changed\n${difference}`)];
}
