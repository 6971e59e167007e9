import { type FieldError, fieldInvalid, fieldRequired } from '../../../field/field-error.js';
import type { FieldPath } from '../../../field/path.js';
import { lowerCase } from '../../../text/lower-case.js';
import { tryParseGroupVersion } from '../../../types/group-version.js';
import type { ObjectMeta } from '../../../types/object-meta.js';
import { isDNS1035Label } from '../../../validation/dns-name.js';
import { validateObjectMeta } from '../../../validation/object-meta.js';
import { validatePathSegmentName } from '../../../validation/object-name.js';
import type { StructuralNode } from '../structural-node.js';

type Members = { readonly [key: string]: unknown };

/**
 * Errors in the apiVersion, kind and metadata of resources inside a custom resource. Their metadata has been coerced.
 *
 * Upstream: Validate of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta
 */
export function validateEmbeddedResources(
  value: unknown,
  node: StructuralNode | undefined,
  at: FieldPath,
  isRoot = true,
): FieldError[] {
  if (node === undefined || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => validateEmbeddedResources(item, node.items, at.index(i), false));
  }
  const members = value as Members;
  const own = node.embeddedResource && !isRoot ? validateResource(members, at) : [];
  const below = Object.keys(members)
    .sort()
    .flatMap((name) => {
      const field = node.fields.get(name);
      if (field !== undefined) return validateEmbeddedResources(members[name], field, at.child(name), false);
      return node.rest === 'open' ? [] : validateEmbeddedResources(members[name], node.rest, at.key(name), false);
    });
  return [...own, ...below];
}

function validateResource(resource: Members, at: FieldPath): FieldError[] {
  return [
    ...validateText(resource, 'apiVersion', at, groupVersionFault),
    ...validateText(resource, 'kind', at, kindFault),
    ...validateMetadata(resource['metadata'], at.child('metadata')),
  ];
}

function validateText(
  resource: Members,
  name: string,
  at: FieldPath,
  faultOf: (text: string) => string | undefined,
): FieldError[] {
  const path = at.child(name);
  if (!Object.hasOwn(resource, name)) return [fieldRequired(path, '')];
  const text = resource[name];
  if (typeof text !== 'string') return [fieldInvalid(path, text, 'must be a string')];
  if (text === '') return [fieldInvalid(path, text, 'must not be empty')];
  const fault = faultOf(text);
  return fault === undefined ? [] : [fieldInvalid(path, text, fault)];
}

function groupVersionFault(text: string): string | undefined {
  return tryParseGroupVersion(text) === undefined ? `unexpected GroupVersion string: ${text}` : undefined;
}

function kindFault(text: string): string | undefined {
  const faults = isDNS1035Label(lowerCase(text));
  return faults.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${faults.join(',')}`;
}

function validateMetadata(value: unknown, path: FieldPath): FieldError[] {
  if (typeof value !== 'object' || value === null) return [];
  const metadata = value as ObjectMeta;
  // A name is optional here, but validation of metadata requires one.
  const named = metadata.name === undefined || metadata.name === '' ? { ...metadata, name: 'fakename' } : metadata;
  const namespaced = (metadata.namespace ?? '') !== '';
  return validateObjectMeta(named, { namespaced, validateName: validatePathSegmentName, path });
}
