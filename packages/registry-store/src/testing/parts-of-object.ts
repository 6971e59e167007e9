import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { metadataFinder } from '../objects/forms/metadata-place.js';
import { partsReader } from '../objects/forms/object-parts.js';
import { asBuffer } from '../objects/forms/resource-version-splice.js';

/** An object as a Table reads it from the bytes of a store: in parts. Throws if these must be decoded. */
export function partsOfObject(kind: KindSchema, object: KubeObject): KubeObject {
  const json = asBuffer(compileKind(kind).encodeJson(object));
  const place = metadataFinder(kind)(json);
  const parts = place && partsReader(kind)(json, place);
  if (parts === undefined) throw new TypeError(`${kind.gvk.kind} is not read in parts`);
  return parts as KubeObject;
}
