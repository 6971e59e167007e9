import type { DaemonSet } from '@apiserver/api/apps/v1';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countGeneration } from '@apiserver/resource-kit';
import { type WorkloadRules, workloadStatusStrategy, workloadStrategy } from '../workload-strategy.js';
import { setTemplateGeneration, templateGeneration } from './template-generation.js';
import { validateDaemonSet, validateDaemonSetStatusUpdate, validateDaemonSetUpdate } from './validation.js';

const rules: WorkloadRules<DaemonSet> = {
  emptyStatus: () => ({
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  }),
  validate: validateDaemonSet,
  validateUpdate: validateDaemonSetUpdate,
  validateStatusUpdate: validateDaemonSetStatusUpdate,
  warnsOfName: false,
  finishCreate(set) {
    const stated = templateGeneration(set);
    setTemplateGeneration(set, stated < 1n ? 1n : stated);
  },
  countChange(set, old) {
    const generation = templateGeneration(old);
    const templateChanged = !equalJson(set.spec.template, old.spec.template);
    setTemplateGeneration(set, templateChanged ? BigInt.asIntN(64, generation + 1n) : generation);
    if (templateChanged || !equalJson(set.spec, old.spec)) countGeneration(set, old);
  },
  hasNewTemplate: (set, old) => templateGeneration(set) !== templateGeneration(old),
};

/** Upstream: pkg/registry/apps/daemonset/strategy.go */
export const daemonSetStrategy: Strategy<DaemonSet> = workloadStrategy(rules);

/** Strategy of the status endpoint, which also keeps the template's generation. */
export const daemonSetStatusStrategy: Strategy<DaemonSet> = {
  ...workloadStatusStrategy(rules),
  prepareForUpdate(_context, set, old) {
    set.spec = cloneJson(old.spec);
    setTemplateGeneration(set, templateGeneration(old));
  },
};
