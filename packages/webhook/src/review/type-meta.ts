import type { Json } from '@apiserver/apimachinery';
import { DecodeError } from '@apiserver/apimachinery/errors';
import { jsonTypeName } from '@apiserver/apimachinery/json';

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * The apiVersion and the kind of a document; empty where they are absent. Throws a DecodeError in upstream's words if
 * one is no string, or if the document is no object. Upstream: SimpleMetaFactory of k8s.io/apimachinery
 */
export function typeMetaOf(value: Json): { readonly apiVersion: string; readonly kind: string } {
  if (value === null) return { apiVersion: '', kind: '' };
  if (typeof value !== 'object' || Array.isArray(value)) throw unfit(value, `value of type ${TYPE_META}`);
  const apiVersion = value['apiVersion'] ?? '';
  const kind = value['kind'] ?? '';
  if (typeof apiVersion !== 'string') throw unfit(apiVersion, 'struct field .apiVersion of type string');
  if (typeof kind !== 'string') throw unfit(kind, 'struct field .kind of type string');
  return { apiVersion, kind };
}

function unfit(value: Json, target: string): DecodeError {
  return new DecodeError(
    'type',
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go ${target}`,
  );
}
