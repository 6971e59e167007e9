import type { Container, EphemeralContainer, PodSpec } from '@apiserver/api/core/v1';

/** Every container of a pod: init, regular, then ephemeral ones. */
export function* allContainers(spec: PodSpec): Generator<Container | EphemeralContainer> {
  yield* spec.initContainers ?? [];
  yield* spec.containers ?? [];
  yield* spec.ephemeralContainers ?? [];
}
