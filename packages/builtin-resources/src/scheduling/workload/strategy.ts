import type { Workload } from '@apiserver/api/scheduling/v1alpha2';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { dropDisabledFields } from '../scheduling-fields.js';
import { validateWorkload, validateWorkloadUpdate } from './validation.js';

/** Upstream: pkg/registry/scheduling/workload/strategy.go */
export const workloadStrategy: Strategy<Workload> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate: (_context, workload) => dropDisabledTemplateFields(workload, undefined),
  validate: (_context, workload) => validateWorkload(workload),
  prepareForUpdate: (_context, workload, old) => dropDisabledTemplateFields(workload, old),
  validateUpdate: (_context, workload, old) => validateWorkloadUpdate(workload, old),
};

/** Templates are compared by position, as upstream. */
function dropDisabledTemplateFields({ spec }: Workload, old: Workload | undefined): void {
  const oldTemplates = old?.spec.podGroupTemplates ?? [];
  for (const [i, template] of (spec.podGroupTemplates ?? []).entries()) dropDisabledFields(template, oldTemplates[i]);
}
