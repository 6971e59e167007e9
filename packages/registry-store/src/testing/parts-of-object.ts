import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { jsonMember } from '../objects/forms/json-members.js';
import { partsReader } from '../objects/forms/object-parts.js';
import { asBuffer } from '../objects/forms/resource-version-splice.js';

/** An object as a Table reads it from the bytes of a store: in parts. Throws if these must be decoded. */
export function partsOfObject(kind: KindSchema, object: KubeObject): KubeObject {
  const json = asBuffer(compileKind(kind).encodeJson(object));
  const metadata = jsonMember(json, 0, 'metadata');
  const parts = metadata && partsReader(kind)(json, { start: metadata.valueStart, end: metadata.end });
  if (parts === undefined) throw new TypeError(`${kind.gvk.kind} is not read in parts`);
  return parts as KubeObject;
}
