import type { PodGroup } from '@apiserver/api/scheduling/v1alpha2';

/** The default does not depend on its feature. Upstream: the marker of PodGroupSpec.DisruptionMode */
export function applyPodGroupDefaults({ spec }: PodGroup): void {
  spec.disruptionMode ??= 'Pod';
}
