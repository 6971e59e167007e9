import type { Container, EphemeralContainer, PodSpec } from '@apiserver/api/core/v1';
import type { FieldPath } from '@apiserver/apimachinery/field';

/**
 * Iterates over every container with its path: init, regular, then ephemeral ones.
 * Upstream: VisitContainersWithPath of pkg/apis/core/pods/helpers.go
 */
export function* containersWithPath(
  spec: PodSpec,
  path: FieldPath,
): Generator<readonly [Container | EphemeralContainer, FieldPath]> {
  for (const field of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const listPath = path.child(field);
    for (const [i, container] of (spec[field] ?? []).entries()) yield [container, listPath.index(i)];
  }
}

/** Reports whether an init container runs beside the regular ones, as a sidecar. */
export function isRestartableInitContainer(container: Container | undefined): boolean {
  return container?.restartPolicy === 'Always';
}
