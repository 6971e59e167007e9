import { type DaemonSet, DaemonSetSpec } from '@apiserver/api/apps/v1';
import { PodTemplateSpec } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import { countGeneration, equalSemantically } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import type { Strategies } from '../../workload/strategies.js';
import { type WorkloadRules, workloadStatusStrategy, workloadStrategy } from '../workload-strategy.js';
import { setTemplateGeneration, templateGeneration } from './template-generation.js';
import { validateDaemonSet, validateDaemonSetStatusUpdate, validateDaemonSetUpdate } from './validation.js';

const rulesFor = (features: PodFeatures): WorkloadRules<DaemonSet> => ({
  spec: DaemonSetSpec,
  emptyStatus: () => ({
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  }),
  validate: (object) => validateDaemonSet(object, features),
  validateUpdate: (object, old) => validateDaemonSetUpdate(object, old, features),
  validateStatusUpdate: validateDaemonSetStatusUpdate,
  warnsOfName: false,
  finishCreate(set) {
    const stated = templateGeneration(set);
    setTemplateGeneration(set, stated < 1n ? 1n : stated);
  },
  countChange(set, old) {
    const generation = templateGeneration(old);
    const templateChanged = !equalSemantically(set.spec.template, old.spec.template, PodTemplateSpec);
    setTemplateGeneration(set, templateChanged ? BigInt.asIntN(64, generation + 1n) : generation);
    if (templateChanged || !equalSemantically(set.spec, old.spec, DaemonSetSpec)) countGeneration(set, old);
  },
  hasNewTemplate: (set, old) => templateGeneration(set) !== templateGeneration(old),
});

/** The status endpoint also keeps the template's generation. Upstream: pkg/registry/apps/daemonset/strategy.go */
export function daemonSetStrategies(features: PodFeatures): Strategies<DaemonSet> {
  const rules = rulesFor(features);
  return {
    main: workloadStrategy(rules),
    status: {
      ...workloadStatusStrategy(rules),
      prepareForUpdate(_context, set, old) {
        set.spec = cloneJson(old.spec);
        setTemplateGeneration(set, templateGeneration(old));
      },
    },
  };
}
