import { ObjectMeta } from '@apiserver/api/meta/v1';
import type { GroupVersionKind } from '@apiserver/apimachinery';
import {
  type FieldSchema,
  type KindSchema,
  STRING,
  type StructSchema,
  struct,
  type ValueValidation,
} from '@apiserver/apimachinery/schema';
import { definitionName, goTypeName, openApiDefinition, type PublishedKind } from './open-api-schema.js';
import { fieldsOf } from './structural-schema.js';
import { valueValidationOf } from './value-validation.js';

/** Input of `customKind`. */
export interface CustomKindOptions extends PublishedKind {
  readonly gvk: GroupVersionKind;
  readonly listKind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

const RESOURCE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * The KindSchema of one version of a custom resource. Its parts are made on first use: of many definitions most serve
 * no request.
 */
export function customKind(options: CustomKindOptions): KindSchema {
  return new CustomKind(options);
}

class CustomKind implements KindSchema {
  readonly gvk: GroupVersionKind;
  readonly semantics: 'structural' = 'structural';
  readonly listKind: string;
  readonly resource: NonNullable<KindSchema['resource']>;
  readonly #options: CustomKindOptions;
  #schema: StructSchema | undefined = undefined;
  #validation: ValueValidation | undefined = undefined;

  constructor(options: CustomKindOptions) {
    const { gvk, listKind, plural, namespaced } = options;
    this.gvk = gvk;
    this.listKind = listKind;
    this.resource = { plural, namespaced, verbs: [] };
    this.#options = options;
  }

  get schema(): StructSchema {
    this.#schema ??= structOf(this.#options);
    return this.#schema;
  }

  get validation(): ValueValidation {
    const { props } = this.#options;
    this.#validation ??= props === undefined ? {} : valueValidationOf(props);
    return this.#validation;
  }
}

function structOf(options: CustomKindOptions): StructSchema {
  const { gvk, props, preserveUnknownFields } = options;
  const keepsAll = preserveUnknownFields || props?.['x-kubernetes-preserve-unknown-fields'] === true;
  const name = definitionName(gvk);
  const declared: readonly FieldSchema[] = struct('', '', () => [
    ['apiVersion', 0, STRING],
    ['kind', 0, STRING],
    ['metadata', 0, ObjectMeta],
    ...fieldsOf(props ?? {}).filter(([field]) => !RESOURCE_FIELDS.has(field)),
  ]).fields;
  return {
    type: 'struct',
    name,
    goName: goTypeName(gvk),
    fields: declared,
    protobuf: false,
    embeddedResource: true,
    ...((keepsAll || props === undefined) && { preserveUnknownFields: true }),
    definition: (version, describe) => openApiDefinition(options, version, describe),
  };
}
