import { DecodeError } from '../codec/decode-error.js';
import { appendAll } from '../field/append-all.js';
import { fieldErrorMessage, fieldInvalid } from '../field/field-error.js';
import { FieldPath } from '../field/path.js';
import { setOwn } from '../json/set-own.js';
import type { StructSchema } from '../schema/schema.js';
import type { StructuralNode } from './structural-node.js';
import { typedMetadata } from './typed-metadata.js';

type Members = { [key: string]: unknown };

/**
 * Brings the metadata of resources inside a custom resource into canonical form. Mutates. Answers the paths of members
 * that metadata does not have. Throws DecodeError when apiVersion, kind or metadata is of a wrong type.
 *
 * Upstream: CoerceWithOptions of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta
 */
export function coerceEmbedded(object: Members, root: StructuralNode, metadata: StructSchema): readonly string[] {
  const unknown: string[] = [];
  const visit = (value: unknown, node: StructuralNode | undefined, path: string, isRoot: boolean): void => {
    if (node === undefined || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) visit(item, node.items, `${path}[${i}]`, false);
      return;
    }
    const members = value as Members;
    if (node.embeddedResource && !isRoot) appendAll(unknown, coerceResource(members, path, metadata));
    for (const name of Object.keys(members)) {
      const child = node.fields.get(name) ?? node.rest;
      if (child !== 'open') visit(members[name], child, path === '' ? name : `${path}.${name}`, false);
    }
  };
  visit(object, root, '', true);
  return unknown.sort();
}

function coerceResource(resource: Members, path: string, schema: StructSchema): readonly string[] {
  for (const name of ['apiVersion', 'kind']) {
    const value = resource[name];
    if (Object.hasOwn(resource, name) && typeof value !== 'string') {
      throw invalid(`${path}.${name}`, value, 'must be a string');
    }
  }
  if (!Object.hasOwn(resource, 'metadata')) return [];
  const value = resource['metadata'];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(`${path}.metadata`, value, 'must be an object');
  }
  const { metadata, unknown } = typedMetadata(value, schema);
  setOwn(resource, 'metadata', metadata);
  return unknown.map((name) => `${path}.metadata.${name}`);
}

function invalid(path: string, value: unknown, detail: string): DecodeError {
  return new DecodeError('type', fieldErrorMessage(fieldInvalid(FieldPath.of(path), value, detail)));
}
