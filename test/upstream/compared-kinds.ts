import { groupVersions } from '@apiserver/api';
import type { KindSchema } from '@apiserver/apimachinery/schema';

/** Groups that client-go's scheme lacks. */
const FOREIGN_GROUPS: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io',
  'apidiscovery.k8s.io',
  'apiregistration.k8s.io',
  'audit.k8s.io',
  'admission.k8s.io',
  'imagepolicy.k8s.io',
  'meta.k8s.io',
]);

/** The verbs of the random requests. */
const VERBS = ['create', 'get', 'list', 'update', 'patch', 'delete'] as const;

/** Every kind of client-go's scheme with all verbs, in every version. */
export async function comparedKinds(): Promise<readonly [KindSchema, ...KindSchema[]]> {
  const versions = groupVersions.filter(({ group }) => !FOREIGN_GROUPS.has(group));
  const loaded = await Promise.all(versions.map(({ load }) => load()));
  const kinds = loaded.flatMap((version) => version.kinds() as readonly KindSchema[]);
  const [first, ...rest] = kinds.filter(({ resource }) => VERBS.every((verb) => resource?.verbs.includes(verb)));
  if (first === undefined) throw new TypeError('no kinds');
  return [first, ...rest];
}

/** The kinds that have several versions, the hub first. */
export function withVersions(kinds: readonly KindSchema[]): readonly [KindVersions, ...KindVersions[]] {
  const byKind = Map.groupBy(kinds, kindOf);
  const several = [...byKind.values()].flatMap((versions) => {
    const [hub, ...others] = versions.sort((a, b) => Number(isLaterHub(b)) - Number(isLaterHub(a)));
    return hub === undefined || others.length === 0 ? [] : [{ hub, others }];
  });
  const [first, ...rest] = several;
  if (first === undefined) throw new TypeError('no versions');
  return [first, ...rest];
}

/** Events of both groups are one kind. */
function kindOf({ gvk: { group, version, kind } }: KindSchema): string {
  return group === 'events.k8s.io' && version === 'v1' ? ` ${kind}` : `${group} ${kind}`;
}

/** Version 2 of HorizontalPodAutoscalers has more fields than version 1. */
function isLaterHub({ gvk: { group, version } }: KindSchema): boolean {
  return group === 'autoscaling' && version === 'v2';
}

/** A kind in several versions. */
export interface KindVersions {
  readonly hub: KindSchema;
  readonly others: readonly KindSchema[];
}
