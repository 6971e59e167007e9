import type { CustomResourceDefinitionNames } from '@apiserver/api/apiextensions/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { lowerCase } from '@apiserver/apimachinery/text';
import { isDNS1035Label } from '@apiserver/apimachinery/validation';

/**
 * Upstream: ValidateCustomResourceDefinitionNames of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function validateNames(names: CustomResourceDefinitionNames, at: FieldPath): FieldError[] {
  const { plural, singular, kind, listKind } = names;
  return [
    ...validateLabel(plural, at.child('plural')),
    ...validateLabel(singular, at.child('singular')),
    ...validateKind(kind, at.child('kind')),
    ...validateKind(listKind, at.child('listKind')),
    ...(names.shortNames ?? []).flatMap((name, i) => invalidLabel(name, at.child('shortNames').index(i))),
    ...(kind !== '' && kind === listKind
      ? [fieldInvalid(at.child('listKind'), listKind, 'kind and listKind may not be the same')]
      : []),
    ...(names.categories ?? []).flatMap((name, i) => invalidLabel(name, at.child('categories').index(i))),
  ];
}

/** A definition must have all names, explicitly or by default. */
export function requireNames(names: CustomResourceDefinitionNames, at: FieldPath): FieldError[] {
  const required = ['plural', 'singular', 'kind', 'listKind'] as const;
  return required.filter((name) => !names[name]).map((name) => fieldRequired(at.child(name), ''));
}

function validateLabel(name: string | undefined, at: FieldPath): FieldError[] {
  return name ? invalidLabel(name, at) : [];
}

function invalidLabel(name: string, at: FieldPath): FieldError[] {
  const faults = isDNS1035Label(name);
  return faults.length === 0 ? [] : [fieldInvalid(at, name, faults.join(','))];
}

function validateKind(kind: string | undefined, at: FieldPath): FieldError[] {
  const faults = kind ? isDNS1035Label(lowerCase(kind)) : [];
  if (faults.length === 0) return [];
  return [fieldInvalid(at, kind, `may have mixed case, but should otherwise match: ${faults.join(',')}`)];
}
