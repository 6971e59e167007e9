import type { Workload } from '@apiserver/api/scheduling/v1alpha2';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { disabledFieldsDropper, type GroupFeatures } from '../scheduling-fields.js';
import { validateWorkload, validateWorkloadUpdate } from './validation.js';

/** Upstream: pkg/registry/scheduling/workload/strategy.go */
export function workloadStrategy(features: GroupFeatures): Strategy<Workload> {
  const dropDisabledFields = disabledFieldsDropper(features);
  // Templates are compared by position, as upstream.
  const dropDisabled = ({ spec }: Workload, old: Workload | undefined) => {
    const oldTemplates = old?.spec.podGroupTemplates ?? [];
    for (const [i, template] of (spec.podGroupTemplates ?? []).entries()) {
      dropDisabledFields(template, oldTemplates[i]);
    }
  };
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    prepareForCreate: (_context, workload) => dropDisabled(workload, undefined),
    validate: (_context, workload) => validateWorkload(workload, features),
    prepareForUpdate: (_context, workload, old) => dropDisabled(workload, old),
    validateUpdate: (_context, workload, old) => validateWorkloadUpdate(workload, old),
  };
}
