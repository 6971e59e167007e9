import type { GroupVersion } from '@apiserver/apimachinery';
import { defineKind, type KindSchema } from '@apiserver/apimachinery/schema';
import { metaKinds } from './generated/meta/v1.js';

/**
 * A kind that every group version has (`DeleteOptions`, `ListOptions`, `WatchEvent`, …); undefined for any other
 * name.
 */
export function metaKind(kind: string, { group, version }: GroupVersion): KindSchema<unknown> | undefined {
  const schema = Object.hasOwn(metaKinds, kind) ? metaKinds[kind] : undefined;
  return schema === undefined ? undefined : defineKind([group, version, kind], schema());
}
