import type { ParamKind, ParamRef } from '@apiserver/api/admissionregistration/v1';
import { labelSelectorGoText } from './label-selector-go-text.js';

const UNSET = '<unset>';

/** A kind of parameters as `group/version/Kind`. */
export function paramKindText(paramKind: ParamKind | undefined): string {
  return paramKind === undefined ? UNSET : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`;
}

/** A reference to parameters; a name without a namespace has the namespace `*`, even of a cluster-scoped object. */
export function paramRefText(ref: ParamRef | undefined): string {
  const { name = '', namespace = '', selector } = ref ?? {};
  if (name !== '') return `${namespace || '*'}/${name}`;
  return selector === undefined ? UNSET : labelSelectorGoText(selector);
}
