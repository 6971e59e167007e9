import type { PodTemplateSpec } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { dropDisabledTemplateFields } from '../core/pod-spec/drop-disabled.js';
import { podTemplateWarnings } from '../core/pod-spec/warnings/pod-warnings.js';
import { podNameWarnings } from '../workload/name-warnings.js';
import { TEMPLATE } from './paths.js';

/** What has a template for pods in its spec, and a status that a controller writes. */
export type Workload = KubeObject & { spec: { template: PodTemplateSpec }; status: object };

/** How a kind of workload differs from the others. */
export interface WorkloadRules<T extends Workload> {
  /** The status of a new object: the counts that are always written. */
  emptyStatus(): T['status'];
  validate(object: T): readonly FieldError[];
  validateUpdate(object: T, old: T): readonly FieldError[];
  validateStatusUpdate(object: T, old: T): readonly FieldError[];
  /** Names of the pods begin with the name of the object, followed by random letters. */
  readonly warnsOfName: boolean;
  /** Counts a generation; where the spec has changed unless said otherwise. Mutates. */
  countChange?(object: T, old: T): void;
  /** Drops what belongs to features that are off, unless the replaced object has it; beyond the template's. Mutates. */
  dropDisabled?(object: T, old?: T): void;
  /** Runs last before an object is made. Mutates. */
  finishCreate?(object: T): void;
}

/** A strategy that has warnings. */
type WorkloadStrategy<T extends Workload> = Strategy<T> &
  Required<Pick<Strategy<T>, 'warningsOnCreate' | 'warningsOnUpdate'>>;

/** The rules of the main endpoint. */
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
      dropDisabledTemplateFields(object.spec.template);
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
      dropDisabledTemplateFields(object.spec.template, old.spec.template);
      rules.dropDisabled?.(object, old);
      (rules.countChange ?? countSpecChange)(object, old);
    },
    validateUpdate: (_context, object, old) => rules.validateUpdate(object, old),
    warningsOnUpdate: (_context, object, old) =>
      object.metadata.generation === old.metadata.generation ? [] : warnings(object),
  };
}

/** The rules of the status endpoint. */
export function workloadStatusStrategy<T extends Workload>(rules: WorkloadRules<T>): Strategy<T> {
  return {
    ...workloadStrategy(rules),
    resetFields: ['spec'],
    prepareForUpdate(_context, object, old) {
      object.spec = cloneJson(old.spec);
    },
    validateUpdate: (_context, object, old) => rules.validateStatusUpdate(object, old),
    warningsOnUpdate: () => [],
  };
}
