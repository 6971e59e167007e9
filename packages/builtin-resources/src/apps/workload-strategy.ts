import type { PodTemplateSpec } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { StructSchema } from '@apiserver/apimachinery/schema';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { podTemplateWarnings } from '../core/pod-spec/warnings/pod-warnings.js';
import { droppingFields, gatedFields } from '../gated-fields.js';
import { podNameWarnings } from '../workload/name-warnings.js';
import { TEMPLATE } from './paths.js';

/** An object with a pod template in its spec, and a status that a controller writes. */
export type Workload = KubeObject & { spec: { template: PodTemplateSpec }; status: object };

/** Differences between the kinds of workloads. */
export interface WorkloadRules<T extends Workload> {
  /** The schema of the spec. */
  readonly spec: StructSchema;
  /** The status of a new object, with the counts that are always present. */
  emptyStatus(): T['status'];
  validate(object: T): readonly FieldError[];
  validateUpdate(object: T, old: T): readonly FieldError[];
  validateStatusUpdate(object: T, old: T): readonly FieldError[];
  /** True if pod names consist of the object's name and a random suffix. */
  readonly warnsOfName: boolean;
  /** Increments the generation; by default if the spec changed. Mutates. */
  countChange?(object: T, old: T): void;
  /** Reports whether the template's warnings are due again; by default if the generation changed. */
  hasNewTemplate?(object: T, old: T): boolean;
  /** Drops fields of disabled features outside of the template, unless the old object has them. Mutates. */
  dropDisabled?(object: T, old?: T): void;
  /** Drops fields of disabled features from a status, unless the stored one has them. Mutates. */
  dropDisabledStatus?(object: T, old: T): void;
  /** Runs last before creation. Mutates. */
  finishCreate?(object: T): void;
}

/** A strategy that has warnings. */
type WorkloadStrategy<T extends Workload> = Strategy<T> &
  Required<Pick<Strategy<T>, 'warningsOnCreate' | 'warningsOnUpdate'>>;

/** The strategy of the main endpoint. */
export function workloadStrategy<T extends Workload>(rules: WorkloadRules<T>): WorkloadStrategy<T> {
  const warnings = ({ spec }: T) => podTemplateWarnings(spec.template, TEMPLATE);
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    defaultGarbageCollectionPolicy: 'Background',
    resetFields: ['status'],
    prepareForCreate(_context, object) {
      object.status = rules.emptyStatus();
      object.metadata.generation = 1;
      rules.dropDisabled?.(object);
      rules.finishCreate?.(object);
    },
    validate: (_context, object) => rules.validate(object),
    warningsOnCreate: (_context, object) => [
      ...(rules.warnsOfName ? podNameWarnings(object.metadata) : []),
      ...warnings(object),
    ],
    prepareForUpdate(_context, object, old) {
      object.status = cloneJson(old.status);
      rules.dropDisabled?.(object, old);
      if (rules.countChange === undefined) countSpecChange(object, old, rules.spec);
      else rules.countChange(object, old);
    },
    validateUpdate: (_context, object, old) => rules.validateUpdate(object, old),
    warningsOnUpdate: (_context, object, old) =>
      (rules.hasNewTemplate ?? hasNewGeneration)(object, old) ? warnings(object) : [],
  };
}

function hasNewGeneration({ metadata }: Workload, old: Workload): boolean {
  return metadata.generation !== old.metadata.generation;
}

/** The strategy of the status endpoint. */
export function workloadStatusStrategy<T extends Workload>(rules: WorkloadRules<T>): Strategy<T> {
  return {
    ...workloadStrategy(rules),
    resetFields: ['spec'],
    prepareForUpdate(_context, object, old) {
      object.spec = cloneJson(old.spec);
      rules.dropDisabledStatus?.(object, old);
    },
    validateUpdate: (_context, object, old) => rules.validateStatusUpdate(object, old),
    warningsOnUpdate: () => [],
  };
}

const TERMINATING = gatedFields<Workload>('status.terminatingReplicas');

/**
 * The rule for the count of terminating replicas, without its feature.
 * Upstream: dropDisabledStatusFields of pkg/registry/apps/deployment/strategy.go
 */
export function terminatingReplicasRule(
  features: FeatureGates,
): Required<Pick<WorkloadRules<Workload>, 'dropDisabledStatus'>> {
  const isEnabled = features.enabled('DeploymentReplicaSetTerminatingReplicas');
  return { dropDisabledStatus: droppingFields(isEnabled ? [] : [TERMINATING]) };
}
