import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { StructSchema } from '@apiserver/apimachinery/schema';

/** A kind of configuration in one version. */
export interface ConfigurationKind {
  readonly gvk: GroupVersionKind;
  /** With the fields `kind` and `apiVersion`. */
  readonly schema: StructSchema;
}

/** The kinds that one configuration may have. */
export interface ConfigurationScheme {
  readonly kinds: readonly ConfigurationKind[];
  /** The source line by which upstream's errors name the scheme, such as `pkg/audit/scheme.go:30`. */
  readonly name: string;
  /** Completes the kind of a configuration that states none or only a part. Without it, both must be stated. */
  readonly defaultKind?: GroupVersionKind;
  /** True if all text is YAML. Otherwise, text that begins with a brace is JSON. */
  readonly isYaml?: boolean;
}

/** One schema in several versions, which differ in nothing else. */
export function configurationKinds(
  schema: StructSchema,
  gvks: readonly (readonly [group: string, version: string, kind: string])[],
): readonly ConfigurationKind[] {
  return gvks.map(([group, version, kind]) => ({ gvk: { group, version, kind }, schema }));
}
