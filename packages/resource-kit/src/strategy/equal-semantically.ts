import { equalJson, setOwn } from '@apiserver/apimachinery/json';

/**
 * Deep equality of two parts of an object, where an empty list equals an absent one. Some fields of an object that a
 * client has sent keep their empty lists, which no stored object has. Not for members of any JSON, where they differ.
 * Upstream: Semantic.DeepEqual in k8s.io/apimachinery/pkg/api/equality/semantic.go
 */
export function equalSemantically(a: unknown, b: unknown): boolean {
  return equalJson(a, b) || equalJson(withoutEmptyLists(a), withoutEmptyLists(b));
}

function withoutEmptyLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutEmptyLists);
  const rest: { [key: string]: unknown } = {};
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(member) || member.length > 0) setOwn(rest, key, withoutEmptyLists(member));
  }
  return rest;
}
