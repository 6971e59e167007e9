import type { GroupVersionKind } from '@apiserver/apimachinery';
import type { FieldSchema, Schema, StructSchema } from '@apiserver/apimachinery/schema';

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

/**
 * One schema in several versions, which differ in nothing else. Its own types are those of a package `v1`
 * ("apiserver.v1.Issuer", "v1.Issuer"); decode errors of another version name the types of its package.
 */
export function configurationKinds(
  schema: StructSchema,
  gvks: readonly (readonly [group: string, version: string, kind: string])[],
): readonly ConfigurationKind[] {
  return gvks.map(([group, version, kind]) => ({
    gvk: { group, version, kind },
    schema: version === 'v1' ? schema : structInPackage(schema, version),
  }));
}

function structInPackage(schema: StructSchema, version: string): StructSchema {
  // Types of other groups stay.
  if (!/^\w+\.v1\./.test(schema.name)) return schema;
  let fields: readonly FieldSchema[] | undefined;
  return {
    type: 'struct',
    name: schema.name.replace('.v1.', `.${version}.`),
    goName: nameInPackage(schema.goName, version),
    protobuf: schema.protobuf,
    get fields() {
      fields ??= schema.fields.map((field) => ({ ...field, schema: inPackage(field.schema, version) }));
      return fields;
    },
  };
}

function inPackage(schema: Schema, version: string): Schema {
  if (schema.type === 'struct') return structInPackage(schema, version);
  if (schema.type === 'string') return { ...schema, goName: nameInPackage(schema.goName, version) };
  if (schema.type !== 'list') return schema;
  const element = inPackage(schema.element, version);
  return { ...schema, element, ...('goName' in element && { goName: `[]${element.goName}` }) };
}

function nameInPackage(goName: string, version: string): string {
  return goName.replace(/^v1\./, `${version}.`);
}
