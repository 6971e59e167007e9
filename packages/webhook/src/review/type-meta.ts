import type { Json } from '@apiserver/apimachinery';
import { DecodeError } from '@apiserver/apimachinery/errors';
import { jsonTypeName } from '@apiserver/apimachinery/json';

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * The apiVersion and the kind of a document; empty where they are absent. As in Go, the case of their names does not
 * matter, and the last of several counts. Throws a DecodeError in upstream's words if one is no string, or if the
 * document is no object.
 * Upstream: SimpleMetaFactory of k8s.io/apimachinery
 */
export function typeMetaOf(value: Json): { readonly apiVersion: string; readonly kind: string } {
  const found = { apiVersion: '', kind: '' };
  if (value === null) return found;
  if (typeof value !== 'object' || Array.isArray(value)) throw unfit(value, `value of type ${TYPE_META}`);
  for (const [name, text] of Object.entries(value)) {
    const field = FIELDS.get(name.toLowerCase());
    if (field === undefined || text === null) continue;
    if (typeof text !== 'string') throw unfit(text, `struct field .${field} of type string`);
    found[field] = text;
  }
  return found;
}

const FIELDS: ReadonlyMap<string, 'apiVersion' | 'kind'> = new Map([
  ['apiversion', 'apiVersion'],
  ['kind', 'kind'],
]);

function unfit(value: Json, target: string): DecodeError {
  return new DecodeError(
    'type',
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go ${target}`,
  );
}
