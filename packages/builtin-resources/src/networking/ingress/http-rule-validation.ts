import type { HTTPIngressPath, HTTPIngressRuleValue } from '@apiserver/api/networking/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { notSupported } from '../../validation/enum-field.js';
import { type BackendRules, validateIngressBackend } from './backend-validation.js';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
/** Sequences that make paths ambiguous. */
const INVALID_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const INVALID_SUFFIXES = ['/..', '/.'];

/** Validates the paths of an HTTP rule. Upstream: validateIngressRuleValue of pkg/apis/networking/validation */
export function validateHTTPRule(
  http: HTTPIngressRuleValue | undefined,
  rules: BackendRules,
  path: FieldPath,
): FieldError[] {
  if (http === undefined) return [];
  const paths = http.paths ?? [];
  const place = path.child('http', 'paths');
  if (paths.length === 0) return [fieldRequired(place, '')];
  return paths.flatMap((entry, i) => validateHTTPPath(entry, rules, place.index(i)));
}

function validateHTTPPath(
  { path: text = '', pathType, backend }: HTTPIngressPath,
  rules: BackendRules,
  path: FieldPath,
): FieldError[] {
  if (pathType === undefined || pathType === null) {
    return [fieldRequired(path.child('pathType'), 'pathType must be specified')];
  }
  return [
    ...(PATH_TYPES.includes(pathType)
      ? pathFaults(text, pathType).map((fault) => fieldInvalid(path.child('path'), text, fault))
      : [notSupported(path.child('pathType'), pathType, PATH_TYPES)]),
    ...validateIngressBackend(backend, rules, path.child('backend')),
  ];
}

function pathFaults(text: string, pathType: string): string[] {
  const notAbsolute = text.startsWith('/') ? [] : ['must be an absolute path'];
  if (pathType === 'ImplementationSpecific') return text === '' ? [] : notAbsolute;
  return [
    ...notAbsolute,
    ...INVALID_SEQUENCES.filter((sequence) => text.includes(sequence)).map((found) => `must not contain '${found}'`),
    ...INVALID_SUFFIXES.filter((suffix) => text.endsWith(suffix)).map((found) => `cannot end with '${found}'`),
  ];
}
