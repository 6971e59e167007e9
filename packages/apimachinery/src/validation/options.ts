import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../field/field-error.js';
import { FieldPath } from '../field/path.js';
import { printedAsJson } from '../field/print-value.js';
import type {
  CreateOptions,
  DeleteOptions,
  ListOptions,
  PatchOptions,
  TableOptions,
  UpdateOptions,
} from '../types/options.js';
import { validateFieldManager } from './managed-fields.js';

const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];
const DRY_RUNS = ['All'];
const PROPAGATION_POLICIES = ['Foreground', 'Background', 'Orphan'];

/** Checks the options of a create. Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go */
export function validateCreateOptions(options: CreateOptions): FieldError[] {
  return [
    ...validateFieldManager(options.fieldManager ?? '', FieldPath.of('fieldManager')),
    ...validateDryRun(options.dryRun),
    ...validateFieldValidation(options.fieldValidation ?? ''),
  ];
}

/** Checks the options of an update. */
export function validateUpdateOptions(options: UpdateOptions): FieldError[] {
  return validateCreateOptions(options);
}

/** Checks the options of a patch; `apply` is true for a server-side apply. */
export function validatePatchOptions(options: PatchOptions, patch: { readonly apply: boolean }): FieldError[] {
  return [...validateForApply(options, patch.apply), ...validateCreateOptions(options)];
}

function validateForApply(options: PatchOptions, apply: boolean): FieldError[] {
  if (!apply && options.force !== undefined) {
    return [fieldForbidden(FieldPath.of('force'), 'may not be specified for non-apply patch')];
  }
  return apply && !options.fieldManager
    ? [fieldRequired(FieldPath.of('fieldManager'), 'is required for apply patch')]
    : [];
}

/** Checks the options of a delete. */
export function validateDeleteOptions(options: DeleteOptions): FieldError[] {
  const { orphanDependents, propagationPolicy, dryRun } = options;
  const path = FieldPath.of('propagationPolicy');
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(fieldInvalid(path, printedAsJson(propagationPolicy), detail));
  }
  if (propagationPolicy !== undefined && !PROPAGATION_POLICIES.includes(propagationPolicy)) {
    errors.push(fieldNotSupported(path, printedAsJson(propagationPolicy), [...PROPAGATION_POLICIES, 'nil']));
  }
  return [...errors, ...validateDryRun(dryRun), ...validateUnsafe(options)];
}

/** Upstream: ValidateIgnoreStoreReadError */
function validateUnsafe(options: DeleteOptions): FieldError[] {
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential !== true) return [];
  const path = FieldPath.of('ignoreStoreReadErrorWithClusterBreakingPotential');
  const others: readonly (keyof DeleteOptions)[] = [
    ...(options.dryRun !== undefined && options.dryRun.length > 0 ? (['dryRun'] as const) : []),
    ...NOT_WITH_UNSAFE.filter((name) => options[name] !== undefined),
  ];
  return others.map((name) => fieldInvalid(path, true, `cannot be set together with .${name}`));
}

const NOT_WITH_UNSAFE = ['propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions'] as const;

function validateDryRun(dryRun: readonly string[] = []): FieldError[] {
  if (dryRun.every((value) => DRY_RUNS.includes(value))) return [];
  return [fieldNotSupported(FieldPath.of('dryRun'), dryRun, DRY_RUNS)];
}

function validateFieldValidation(fieldValidation: string): FieldError[] {
  if (FIELD_VALIDATIONS.includes(fieldValidation)) return [];
  return [fieldNotSupported(FieldPath.of('fieldValidation'), fieldValidation, FIELD_VALIDATIONS)];
}

/** Checks the options of a response in Table form. */
export function validateTableOptions(options: TableOptions): FieldError[] {
  const { includeObject = '' } = options;
  if (['', 'None', 'Metadata', 'Object'].includes(includeObject)) return [];
  const detail = "must be 'Metadata', 'Object', 'None', or empty";
  return [fieldInvalid(FieldPath.of('includeObject'), printedAsJson(includeObject), detail)];
}

/** The server configuration that affects list options. */
export interface ListOptionsRules {
  /** The WatchList feature gate. */
  readonly watchList: boolean;
}

/**
 * Checks the options of a list or watch.
 *
 * Upstream: k8s.io/apimachinery/pkg/apis/meta/internalversion/validation/validation.go
 */
export function validateListOptions(options: ListOptions, rules: ListOptionsRules): FieldError[] {
  return options.watch ? validateWatch(options, rules) : validateList(options);
}

function validateList(options: ListOptions): FieldError[] {
  const { resourceVersionMatch: match = '', resourceVersion = '' } = options;
  const path = FieldPath.of('resourceVersionMatch');
  const errors: FieldError[] = [];
  if (match !== '') {
    if (resourceVersion === '') {
      errors.push(fieldForbidden(path, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    errors.push(...validateMatchWithContinue(options, path));
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(fieldNotSupported(path, printedAsJson(match), ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(fieldForbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(fieldForbidden(FieldPath.of('sendInitialEvents'), 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function validateWatch(options: ListOptions, rules: ListOptionsRules): FieldError[] {
  const { resourceVersionMatch: match = '', sendInitialEvents } = options;
  const path = FieldPath.of('resourceVersionMatch');
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(fieldForbidden(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (sendInitialEvents !== undefined && !rules.watchList) {
    const detail = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    errors.push(fieldForbidden(FieldPath.of('sendInitialEvents'), detail));
  }
  if (match === '') return errors;
  if (sendInitialEvents === undefined) {
    errors.push(
      fieldForbidden(path, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  }
  if (match !== 'NotOlderThan') errors.push(fieldNotSupported(path, printedAsJson(match), ['NotOlderThan']));
  return [...errors, ...validateMatchWithContinue(options, path)];
}

function validateMatchWithContinue(options: ListOptions, path: FieldPath): FieldError[] {
  if (!options.continue) return [];
  return [fieldForbidden(path, 'resourceVersionMatch is forbidden when continue is provided')];
}
