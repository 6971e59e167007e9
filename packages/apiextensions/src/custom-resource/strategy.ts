import type { CustomResourceSubresourceScale } from '@apiserver/api/apiextensions/v1';
import { formatGroupVersion, type GroupVersionKind, type KubeObject } from '@apiserver/apimachinery';
import {
  applyStructuralDefaults,
  dropStrayNulls,
  prune,
  type StructuralNode,
  type ValueValidator,
  validateEmbeddedResources,
  validateListTypes,
  validateListTypesUpdate,
} from '@apiserver/apimachinery/codec/structural';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import { nameIsDNSSubdomain, validateObjectMeta, validateObjectMetaUpdate } from '@apiserver/apimachinery/validation';
import type { Strategy } from '@apiserver/apiserver-contracts';
import type { CheckObject } from '../rules/object-rules.js';
import { finalizerWarnings } from './finalizer-warnings.js';
import { validateScaleSpec, validateScaleStatus } from './scale-paths.js';

/** Dependencies of the strategy of one version. Schemas are compiled when they are first read. */
export interface CustomStrategyOptions {
  /** The version of the request. */
  readonly kind: GroupVersionKind;
  readonly namespaced: boolean;
  readonly structure: StructuralNode;
  readonly validator: ValueValidator;
  /** Validates the `status` member; undefined if the schema has none. */
  readonly statusValidator: ValueValidator | undefined;
  readonly hasStatus: boolean;
  readonly scale: CustomResourceSubresourceScale | undefined;
  /** The apiVersions of all versions with a status endpoint. */
  readonly statusVersions: readonly string[];
  /** The apiVersion of stored objects. */
  readonly storedApiVersion: string;
  /** True if conversion writes the stored version, whose defaults objects get when they are read. */
  readonly isConverted: boolean;
  /** The structure of the storage version. */
  readonly storedStructure: StructuralNode;
  /** Checks objects by the rules of the version; undefined if it has none. */
  readonly checkRules: CheckObject | undefined;
}

const METADATA = FieldPath.of('metadata');

/**
 * Strategy of the main endpoint of a custom resource. Objects have the stored apiVersion, but the contents of the
 * request's version, until `canonicalize` prunes them to the stored schema.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go
 */
export function customStrategy(options: CustomStrategyOptions): Strategy {
  const { hasStatus, scale, checkRules } = options;
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    ...(hasStatus && { resetFields: ['status'] }),
    prepareForCreate(_context, object) {
      if (hasStatus) delete object['status'];
      object.metadata.generation = 1;
    },
    validate: (_context, object) => [
      ...ofKind(object, options, () => [
        ...validateObjectMeta(object.metadata, {
          namespaced: options.namespaced,
          validateName: nameIsDNSSubdomain,
          path: METADATA,
        }),
        ...options.validator.validate(inVersion(object, options), FieldPath.none),
        ...validateScaleSpec(object, scale),
        ...validateScaleStatus(object, scale),
      ]),
      ...validateEmbeddedResources(object, options.structure, FieldPath.none),
      ...validateListTypes(object, options.structure, FieldPath.none),
    ],
    ...(checkRules && {
      validateInTurns: ({ warnings }, object, old, errors) =>
        checkRules({
          object: inVersion(object, options),
          old: old && inVersion(old, options),
          errors,
          warn: (message) => warnings.warn(message),
        }),
    }),
    warningsOnCreate: (_context, object) => finalizerWarnings(object, undefined),
    canonicalize: (object) => canonicalize(object, options),
    prepareForUpdate(_context, object, old) {
      if (hasStatus) {
        if (Object.hasOwn(old, 'status')) object['status'] = cloneJson(old['status']);
        else delete object['status'];
      }
      if (!equalJson(withoutMetadata(object), withoutMetadata(old))) {
        object.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
      }
    },
    validateUpdate: (_context, object, old) => [
      ...ofKind(object, options, () => [
        ...validateObjectMetaUpdate(object.metadata, old.metadata, METADATA),
        ...options.validator.validateUpdate(inVersion(object, options), inVersion(old, options), FieldPath.none),
        ...validateScaleSpec(object, scale),
        ...validateScaleStatus(object, scale),
      ]),
      ...validateEmbeddedResources(object, options.structure, FieldPath.none),
      ...validateListTypesUpdate(object, old, options.structure, FieldPath.none),
    ],
    warningsOnUpdate: (_context, object, old) => finalizerWarnings(object, old),
  };
}

/**
 * Strategy of the status endpoint: everything but the status keeps its stored value.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/status_strategy.go
 */
export function customStatusStrategy(options: CustomStrategyOptions): Strategy {
  const { scale } = options;
  return {
    ...customStrategy(options),
    resetFields: ['metadata', 'spec'],
    resetVersions: options.statusVersions,
    prepareForUpdate(_context, object, old) {
      const { managedFields } = object.metadata;
      const had = Object.hasOwn(object, 'status');
      const status = object['status'];
      for (const name of Object.keys(object)) delete object[name];
      Object.assign(object, cloneJson(old));
      // An object that could not be compared has none.
      if (managedFields === undefined) delete object.metadata.managedFields;
      else object.metadata.managedFields = managedFields;
      if (had) object['status'] = status;
      else delete object['status'];
    },
    validateUpdate: (_context, object, old) => [
      ...ofKind(object, options, () => [
        ...validateObjectMetaUpdate(object.metadata, old.metadata, METADATA),
        ...statusErrors(object, old, options),
        ...validateScaleStatus(object, scale),
      ]),
      ...validateListTypesUpdate(object, old, options.structure, FieldPath.none),
    ],
  };
}

function statusErrors(object: KubeObject, old: KubeObject, { statusValidator }: CustomStrategyOptions) {
  if (statusValidator === undefined || !Object.hasOwn(object, 'status')) return [];
  return statusValidator.validateUpdate(object['status'], old['status'] ?? null, FieldPath.of('status'));
}

/** The faults of an object's kind; those that `validate` finds if there are none. */
function ofKind(
  object: KubeObject,
  options: CustomStrategyOptions,
  validate: () => readonly FieldError[],
): readonly FieldError[] {
  const errors = validateKind(object, options);
  return errors.length > 0 ? errors : validate();
}

/** The version was validated on decoding. Upstream: ValidateTypeMeta of …/customresource/validator.go */
function validateKind(object: KubeObject, { kind, storedApiVersion }: CustomStrategyOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (object.kind !== kind.kind) errors.push(fieldInvalid(FieldPath.of('kind'), object.kind, `must be ${kind.kind}`));
  const apiVersion = formatGroupVersion(kind);
  if (object.apiVersion !== apiVersion && object.apiVersion !== storedApiVersion) {
    errors.push(fieldInvalid(FieldPath.of('apiVersion'), object.apiVersion, `must be ${apiVersion}`));
  }
  return errors;
}

/** The object with the apiVersion of its contents, which schemas may constrain. */
function inVersion(object: KubeObject, { kind }: CustomStrategyOptions): KubeObject {
  const apiVersion = formatGroupVersion(kind);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Prunes an object to its stored schema and applies the defaults of that schema. Mutates. */
function canonicalize(object: KubeObject, { storedStructure, isConverted }: CustomStrategyOptions): void {
  prune(object, storedStructure);
  dropStrayNulls(object, storedStructure);
  // The object has the contents of the request's version, which defaulted the request alone.
  if (!isConverted) applyStructuralDefaults(object, storedStructure);
}

function withoutMetadata(object: KubeObject): unknown {
  const { metadata: _, ...rest } = object;
  return rest;
}
