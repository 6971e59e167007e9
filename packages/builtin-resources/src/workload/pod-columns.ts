import type { Container, PodTemplateSpec } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Column } from '@apiserver/apiserver-contracts';
import { column } from '@apiserver/resource-kit';

/** Columns of wide output with the containers and images of a template. */
export function containerColumns<T extends KubeObject>(
  templateOf: (object: T) => PodTemplateSpec | undefined,
): readonly Column<T>[] {
  const containersOf = (object: T) => templateOf(object)?.spec.containers ?? [];
  return [
    column('Containers', 'Names of each container in the template.', (object) => containerNames(containersOf(object)), {
      priority: 1,
    }),
    column('Images', 'Images referenced by each container in the template.', (object) => images(containersOf(object)), {
      priority: 1,
    }),
  ];
}

/** Upstream: layoutContainerCells of pkg/printers/internalversion/printers.go */
export function containerNames(containers: readonly Container[]): string {
  return containers.map(({ name }) => name).join(',');
}

/** The images of containers, for one cell. */
export function images(containers: readonly Container[]): string {
  return containers.map(({ image }) => image ?? '').join(',');
}

/** Formats labels for one cell. Upstream: FormatLabels of k8s.io/apimachinery/pkg/labels */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  // Sorted as `key=value`, not by key, as upstream.
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join(',') || '<none>';
}
