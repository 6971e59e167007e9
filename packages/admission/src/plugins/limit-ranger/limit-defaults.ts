import type { Container, LimitRange, Pod } from '@apiserver/api/core/v1';
import type { ResourceList } from '@apiserver/apimachinery/values';

const ANNOTATION = 'kubernetes.io/limit-ranger';

interface ContainerDefaults {
  readonly limits: ResourceList;
  readonly requests: ResourceList;
}

/**
 * Sets the defaults of a limit range on the containers of a pod, and notes them in an annotation. Mutates.
 * Upstream: PodMutateLimitFunc of plugin/pkg/admission/limitranger/admission.go
 */
export function applyLimitDefaults(limitRange: LimitRange, { metadata, spec }: Pod): void {
  const defaults = containerDefaults(limitRange);
  const notes = [
    ...(spec.containers ?? []).flatMap((container) => completeContainer(container, 'container', defaults)),
    ...(spec.initContainers ?? []).flatMap((container) => completeContainer(container, 'init container', defaults)),
  ];
  if (notes.length === 0) return;
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` };
}

function containerDefaults({ spec }: LimitRange): ContainerDefaults {
  const items = (spec.limits ?? []).filter(({ type }) => type === 'Container');
  return {
    limits: Object.assign({}, ...items.map((item) => item.default)),
    requests: Object.assign({}, ...items.map((item) => item.defaultRequest)),
  };
}

/** Returns notes of the values that were set. */
function completeContainer(container: Container, what: string, defaults: ContainerDefaults): string[] {
  return (['requests', 'limits'] as const).flatMap((field) => {
    const present = container.resources[field] ?? {};
    const names = Object.keys(defaults[field]).filter((name) => present[name] === undefined);
    if (names.length === 0) return [];
    container.resources[field] = { ...defaults[field], ...present };
    return [`${names.sort().join(', ')} ${field.slice(0, -1)} for ${what} ${container.name}`];
  });
}
