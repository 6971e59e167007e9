import type { KubeObject } from '@apiserver/apimachinery';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { messageOf } from '@apiserver/apimachinery/errors';
import { ControlPlaneError } from '@apiserver/test-powers';
import type { Manifest } from './manifest.js';

/** Documents are separated by lines of three hyphens, which may have a comment. */
const SEPARATOR = /^---[ \t]*(?:#.*)?\r?$/m;

/** The objects of YAML or JSON text; lists become their items. Throws a ControlPlaneError that names `origin`. */
export function parseManifests(text: string, origin: string): readonly Manifest[] {
  const documents = text.trimStart().startsWith('{') ? [text] : text.split(SEPARATOR);
  return documents.flatMap((document) => manifestsOf(parse(document, origin), origin));
}

function parse(document: string, origin: string): unknown {
  try {
    return parseYaml(Buffer.from(document));
  } catch (error) {
    throw new ControlPlaneError(`${origin}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * A value as objects; nothing for an empty document. Throws a ControlPlaneError for a value that is no object of an
 * API.
 */
export function manifestsOf(value: unknown, origin: string): readonly Manifest[] {
  if (value === null || value === undefined) return [];
  if (isObjectList(value)) return value.items.flatMap((item, index) => manifestsOf(item, `${origin} items[${index}]`));
  if (!isKubeObject(value)) throw new ControlPlaneError(`${origin}: an object needs apiVersion, kind and metadata`);
  return [{ object: value, origin }];
}

function isObjectList(value: unknown): value is { readonly items: readonly unknown[] } {
  if (typeof value !== 'object' || value === null || !('items' in value) || !Array.isArray(value.items)) return false;
  return 'kind' in value && typeof value.kind === 'string' && value.kind.endsWith('List');
}

function isKubeObject(value: unknown): value is KubeObject {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false;
  if (typeof value.metadata !== 'object' || value.metadata === null) return false;
  return (
    'apiVersion' in value && typeof value.apiVersion === 'string' && 'kind' in value && typeof value.kind === 'string'
  );
}
