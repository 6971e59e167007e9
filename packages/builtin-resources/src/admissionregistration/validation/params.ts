import type { ParamKind, ParamRef } from '@apiserver/api/admissionregistration/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { lowerCase } from '@apiserver/apimachinery/text';
import {
  isDNS1035Label,
  isDNS1123Subdomain,
  validateLabelSelector,
  validatePathSegmentName,
} from '@apiserver/apimachinery/validation';
import { validateRequiredEnum } from '../../validation/enum-field.js';

const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];
const EXCLUSIVE = 'name and selector are mutually exclusive';

/** Upstream: validateParamKind of pkg/apis/admissionregistration/validation/validation.go */
export function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, path: FieldPath): FieldError[] {
  return [...validateApiVersion(apiVersion, path.child('apiVersion')), ...validateKind(kind, path.child('kind'))];
}

function validateApiVersion(apiVersion: string, path: FieldPath): FieldError[] {
  if (apiVersion === '') return [fieldRequired(path, '')];
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/');
  if (parts.length > 2) return [fieldInvalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  const groupFaults = group === '' ? [] : isDNS1123Subdomain(group);
  const errors = groupFaults.length === 0 ? [] : [fieldInvalid(path, group, groupFaults.join(','))];
  if (version === '') return [...errors, fieldInvalid(path, apiVersion, 'version must be specified')];
  const faults = isDNS1035Label(version);
  return faults.length === 0 ? errors : [...errors, fieldInvalid(path, version, faults.join(','))];
}

function validateKind(kind: string, path: FieldPath): FieldError[] {
  if (kind === '') return [fieldRequired(path, '')];
  const faults = isDNS1035Label(lowerCase(kind));
  if (faults.length === 0) return [];
  return [fieldInvalid(path, kind, `may have mixed case, but should otherwise match: ${faults.join(',')}`)];
}

/** Upstream: validateParamRef */
export function validateParamRef(ref: ParamRef, path: FieldPath): FieldError[] {
  const { name = '', selector, parameterNotFoundAction } = ref;
  const isBoth = name !== '' && selector !== undefined;
  return [
    ...(name === '' ? [] : validatePathSegmentName(name).map((fault) => fieldInvalid(path.child('name'), name, fault))),
    ...(isBoth ? [fieldForbidden(path.child('name'), EXCLUSIVE)] : []),
    ...validateLabelSelector(selector, {}, path.child('selector')),
    ...(isBoth ? [fieldForbidden(path.child('selector'), EXCLUSIVE)] : []),
    ...(name === '' && selector === undefined
      ? [fieldRequired(path, 'one of name or selector must be specified')]
      : []),
    ...validateRequiredEnum(parameterNotFoundAction, NOT_FOUND_ACTIONS, path.child('parameterNotFoundAction')),
  ];
}
