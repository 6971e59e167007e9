import type { CreateOptions, PatchOptions, UpdateOptions } from '@apiserver/apimachinery';
import { newInvalid } from '@apiserver/apimachinery/errors';
import type { FieldError } from '@apiserver/apimachinery/field';
import { validateCreateOptions, validatePatchOptions, validateUpdateOptions } from '@apiserver/apimachinery/validation';
import { booleanValue, listValue, present, textValue } from './query-values.js';

/** The treatment of unknown and duplicate fields of a body. */
export type ValidationDirective = 'Ignore' | 'Warn' | 'Strict';

/** Without parameters there can be no error. */
const NO_OPTIONS = Object.freeze({});

/** The options of a create. Throws a 422 for values that are not allowed. */
export function parseCreateOptions(query: URLSearchParams): CreateOptions {
  if (query.size === 0) return NO_OPTIONS;
  const options = decodeWriteOptions(query);
  return checked(options, 'CreateOptions', validateCreateOptions(options));
}

/** The options of an update. Throws a 422 for values that are not allowed. */
export function parseUpdateOptions(query: URLSearchParams): UpdateOptions {
  if (query.size === 0) return NO_OPTIONS;
  const options = decodeWriteOptions(query);
  return checked(options, 'UpdateOptions', validateUpdateOptions(options));
}

/** The options of a patch. Throws a 422 for values that are not allowed. */
export function parsePatchOptions(query: URLSearchParams, patch: { readonly apply: boolean }): PatchOptions {
  if (query.size === 0 && !patch.apply) return NO_OPTIONS;
  const force = booleanValue(query, 'force');
  const options: PatchOptions = { ...decodeWriteOptions(query), ...(force !== undefined && { force }) };
  return checked(options, 'PatchOptions', validatePatchOptions(options, patch));
}

/** The directive of a validated fieldValidation parameter; the default is Warn. */
export function validationDirective(options: { readonly fieldValidation?: string }): ValidationDirective {
  const { fieldValidation } = options;
  return fieldValidation === 'Ignore' || fieldValidation === 'Strict' ? fieldValidation : 'Warn';
}

/** Reports whether the request is a dry run. */
export function isDryRun(options: { readonly dryRun?: readonly string[] }): boolean {
  return options.dryRun !== undefined && options.dryRun.length > 0;
}

function decodeWriteOptions(query: URLSearchParams): CreateOptions {
  return present<CreateOptions>({
    dryRun: listValue(query, 'dryRun'),
    fieldManager: textValue(query, 'fieldManager'),
    fieldValidation: textValue(query, 'fieldValidation'),
  });
}

function checked<T>(options: T, kind: string, errors: readonly FieldError[]): T {
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind }, '', errors);
  return options;
}
