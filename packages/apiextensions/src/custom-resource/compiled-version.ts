import type { CustomResourceDefinitionVersion } from '@apiserver/api/apiextensions/v1';
import type { GroupVersionKind } from '@apiserver/apimachinery';
import { customStructure, type StructuralNode } from '@apiserver/apimachinery/codec/structural';
import { FieldPath } from '@apiserver/apimachinery/field';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { validateStructural } from '../custom-resource-definition/validation/validate-structural.js';
import { hasRulesOfObjects } from '../rules/has-rules.js';
import { type CheckObject, objectRules } from '../rules/object-rules.js';
import { customKind } from '../schema/custom-kind.js';
import type { ResourceDefinitionOptions } from './resource-definition-options.js';
import { selectableFieldNames } from './selectable-fields.js';

const SCHEMA = FieldPath.of('schema', 'openAPIV3Schema');

/** A version of a definition with its schema and the check of its rules. */
export class CompiledVersion {
  readonly version: CustomResourceDefinitionVersion;
  readonly kind: GroupVersionKind;
  readonly schema: KindSchema;
  readonly checkRules: CheckObject | undefined;
  #structure: StructuralNode | undefined = undefined;

  constructor(schema: KindSchema, version: CustomResourceDefinitionVersion, checkRules: CheckObject | undefined) {
    this.version = version;
    this.kind = schema.gvk;
    this.schema = schema;
    this.checkRules = checkRules;
  }

  get structure(): StructuralNode {
    this.#structure ??= customStructure(this.schema.schema);
    return this.#structure;
  }
}

/** Compiles the schema of a version. */
export function compileVersion(
  { crd, compilePattern, loadEngine }: ResourceDefinitionOptions,
  version: CustomResourceDefinitionVersion,
): CompiledVersion {
  const { group, names, scope } = crd.spec;
  const props = version.schema?.openAPIV3Schema;
  const schema = customKind({
    gvk: { group, version: version.name, kind: names.kind },
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    namespaced: scope === 'Namespaced',
    props,
    preserveUnknownFields: crd.spec.preserveUnknownFields === true,
    isStructural: () => props === undefined || validateStructural(props, SCHEMA, compilePattern).length === 0,
    selectableFieldNames: selectableFieldNames(version.selectableFields ?? []),
  });
  const checkRules =
    props && hasRulesOfObjects(props)
      ? objectRules({ props, validation: () => schema.validation ?? {}, loadEngine })
      : undefined;
  return new CompiledVersion(schema, version, checkRules);
}
