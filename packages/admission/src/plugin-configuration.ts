import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { StructSchema } from '@apiserver/apimachinery/schema';
import { configurationKinds, decodeConfigurationValue } from '@apiserver/component-base/configuration';

/** The kinds that a plugin's configuration may have. All have the same fields. */
export interface ConfigurationKinds {
  readonly kinds: readonly GroupVersionKind[];
  /** With the fields `kind` and `apiVersion`. */
  readonly schema: StructSchema;
  /** The source line by which upstream names the scheme of these kinds. */
  readonly scheme: string;
}

/**
 * Decodes a plugin's part of the admission configuration strictly, without defaults. Throws a ConfigurationError with
 * upstream's messages for another kind and for unknown or wrong fields.
 */
export function decodeConfiguration<T>(configuration: unknown, { kinds, schema, scheme }: ConfigurationKinds): T {
  const gvks = kinds.map(({ group, version, kind }) => [group, version, kind] as const);
  const scope = { kinds: configurationKinds(schema, gvks), name: scheme };
  return decodeConfigurationValue<T>(configuration, scope).object;
}
