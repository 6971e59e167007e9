import type { DaemonSet } from '@apiserver/api/apps/v1';
import { equalJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countGeneration } from '@apiserver/resource-kit';
import { type WorkloadRules, workloadStatusStrategy, workloadStrategy } from '../workload-strategy.js';
import { validateDaemonSet, validateDaemonSetStatusUpdate, validateDaemonSetUpdate } from './validation.js';

/** Counts changes of the template, like the former field. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

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
  finishCreate: (set) => setTemplateGeneration(set, 1n),
  countChange(set, old) {
    const generation = templateGeneration(old);
    const templateChanged = !equalJson(set.spec.template, old.spec.template);
    setTemplateGeneration(set, templateChanged ? generation + 1n : generation);
    if (templateChanged || !equalJson(set.spec, old.spec)) countGeneration(set, old);
  },
};

function templateGeneration({ metadata }: DaemonSet): bigint {
  const text = metadata.annotations?.[TEMPLATE_GENERATION] ?? '';
  return /^-?[0-9]{1,18}$/.test(text) ? BigInt(text) : 0n;
}

/** Ignores the client's value. */
function setTemplateGeneration({ metadata }: DaemonSet, generation: bigint): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}

/** Upstream: pkg/registry/apps/daemonset/strategy.go */
export const daemonSetStrategy: Strategy<DaemonSet> = workloadStrategy(rules);

/** Strategy of the status endpoint. */
export const daemonSetStatusStrategy: Strategy<DaemonSet> = workloadStatusStrategy(rules);
