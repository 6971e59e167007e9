import type { PodTemplate } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { column, nameColumn } from '@apiserver/resource-kit';
import { containerNames, images, labelsText } from '../../workload/pod-columns.js';

/** Upstream: printPodTemplate of pkg/printers/internalversion/printers.go */
export const podTemplateColumns: readonly Column<PodTemplate>[] = [
  nameColumn,
  column('Containers', 'Names of each container in the template.', ({ template }) =>
    containerNames(template.spec.containers ?? []),
  ),
  column('Images', 'Images referenced by each container in the template.', ({ template }) =>
    images(template.spec.containers ?? []),
  ),
  column('Pod Labels', 'The labels for the pod template.', ({ template }) => labelsText(template.metadata.labels)),
];
