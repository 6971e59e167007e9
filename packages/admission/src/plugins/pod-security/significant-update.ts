import type { Container, EphemeralContainer, Pod } from '@apiserver/api/core/v1';

type WithImage = Pick<Container, 'name' | 'image'>;

/**
 * Reports whether an update of a pod can concern a policy: new containers, and other images. Nothing else that
 * matters can be changed.
 * Upstream: isSignificantPodUpdate of k8s.io/pod-security-admission/admission/admission.go
 */
export function isSignificantUpdate({ spec }: Pod, { spec: old }: Pod): boolean {
  return (
    haveOtherImages(spec.containers, old.containers) ||
    haveOtherImages(spec.initContainers, old.initContainers) ||
    hasNewEphemeralContainer(spec.ephemeralContainers ?? [], old.ephemeralContainers ?? [])
  );
}

function haveOtherImages(
  containers: readonly WithImage[] | null | undefined,
  old: readonly WithImage[] | null | undefined,
): boolean {
  if ((containers ?? []).length !== (old ?? []).length) return true;
  return (containers ?? []).some((container, i) => isOtherImage(container, old?.[i]));
}

function hasNewEphemeralContainer(
  containers: readonly EphemeralContainer[],
  old: readonly EphemeralContainer[],
): boolean {
  return containers.some((container) => {
    const before = old.find(({ name }) => name === container.name);
    return before === undefined || isOtherImage(container, before);
  });
}

function isOtherImage({ image }: WithImage, old: WithImage | undefined): boolean {
  return (image ?? '') !== (old?.image ?? '');
}
