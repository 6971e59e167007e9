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
import { finalizerWarnings } from './finalizer-warnings.js';
import { validateScaleSpec, validateScaleStatus } from './scale-paths.js';

/** What the rules of one version of a custom resource are made of. */
export interface CustomStrategyOptions {
  /** Of the version that requests come in. */
  readonly kind: GroupVersionKind;
  readonly namespaced: boolean;
  readonly structure: StructuralNode;
  readonly validator: ValueValidator;
  /** Of what stands under `status`; undefined: the schema says nothing of it. */
  readonly statusValidator: ValueValidator | undefined;
  readonly hasStatus: boolean;
  readonly scale: CustomResourceSubresourceScale | undefined;
  /** What objects are stored under. */
  readonly storedApiVersion: string;
  /** Of the version that objects are stored in. */
  readonly storedStructure: StructuralNode;
}

const METADATA = FieldPath.of('metadata');

/**
 * Rules of the main endpoint of a custom resource. Objects carry the apiVersion they are stored under and the content of
 * the version they came in, until `canonicalize` cuts them to what is stored.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go
 */
export function customStrategy(options: CustomStrategyOptions): Strategy {
  const { hasStatus, structure, validator, scale } = options;
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    ...(hasStatus && { resetFields: ['status'] }),
    prepareForCreate(_context, object) {
      if (hasStatus) delete object['status'];
      object.metadata.generation = 1;
    },
    validate: (_context, object) => {
      const typeErrors = validateKind(object, options);
      if (typeErrors.length > 0) return typeErrors;
      return [
        ...validateObjectMeta(object.metadata, {
          namespaced: options.namespaced,
          validateName: nameIsDNSSubdomain,
          path: METADATA,
        }),
        ...validator.validate(inVersion(object, options), FieldPath.none),
        ...validateScaleSpec(object, scale),
        ...validateScaleStatus(object, scale),
        ...validateEmbeddedResources(object, structure, FieldPath.none),
        ...validateListTypes(object, structure, FieldPath.none),
      ];
    },
    warningsOnCreate: (_context, object) => finalizerWarnings(object, undefined),
    canonicalize: (object) => canonicalize(object, options.storedStructure),
    prepareForUpdate(_context, object, old) {
      if (hasStatus) {
        if (Object.hasOwn(old, 'status')) object['status'] = cloneJson(old['status']);
        else delete object['status'];
      }
      if (!equalJson(withoutMetadata(object), withoutMetadata(old))) {
        object.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
      }
    },
    validateUpdate: (_context, object, old) => {
      const typeErrors = validateKind(object, options);
      if (typeErrors.length > 0) return typeErrors;
      return [
        ...validateObjectMetaUpdate(object.metadata, old.metadata, METADATA),
        ...validator.validateUpdate(inVersion(object, options), inVersion(old, options), FieldPath.none),
        ...validateScaleSpec(object, scale),
        ...validateScaleStatus(object, scale),
        ...validateEmbeddedResources(object, structure, FieldPath.none),
        ...validateListTypesUpdate(object, old, structure, FieldPath.none),
      ];
    },
    warningsOnUpdate: (_context, object, old) => finalizerWarnings(object, old),
  };
}

/**
 * Rules of the status endpoint: everything but the status stays as it is stored.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/status_strategy.go
 */
export function customStatusStrategy(options: CustomStrategyOptions): Strategy {
  const { structure, statusValidator, scale } = options;
  return {
    ...customStrategy(options),
    resetFields: ['metadata', 'spec'],
    prepareForUpdate(_context, object, old) {
      const { managedFields } = object.metadata;
      const had = Object.hasOwn(object, 'status');
      const status = object['status'];
      for (const name of Object.keys(object)) delete object[name];
      Object.assign(object, cloneJson(old));
      if (managedFields !== undefined) object.metadata.managedFields = managedFields;
      if (had) object['status'] = status;
      else delete object['status'];
    },
    validateUpdate: (_context, object, old) => {
      const typeErrors = validateKind(object, options);
      if (typeErrors.length > 0) return typeErrors;
      const at = FieldPath.of('status');
      const errors = Object.hasOwn(object, 'status')
        ? (statusValidator?.validateUpdate(object['status'], old['status'] ?? null, at) ?? [])
        : [];
      return [
        ...validateObjectMetaUpdate(object.metadata, old.metadata, METADATA),
        ...errors,
        ...validateScaleStatus(object, scale),
        ...validateListTypesUpdate(object, old, structure, FieldPath.none),
      ];
    },
  };
}

/** Upstream: ValidateTypeMeta of …/customresource/validator.go; the version has been looked at on the way in. */
function validateKind(object: KubeObject, { kind, storedApiVersion }: CustomStrategyOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (object.kind !== kind.kind) errors.push(fieldInvalid(FieldPath.of('kind'), object.kind, `must be ${kind.kind}`));
  const apiVersion = formatGroupVersion(kind);
  if (object.apiVersion !== apiVersion && object.apiVersion !== storedApiVersion) {
    errors.push(fieldInvalid(FieldPath.of('apiVersion'), object.apiVersion, `must be ${apiVersion}`));
  }
  return errors;
}

/** The object under the version that its content is of: schemas may say something of apiVersion. */
function inVersion(object: KubeObject, { kind }: CustomStrategyOptions): KubeObject {
  const apiVersion = formatGroupVersion(kind);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Cuts an object to the schema it is stored under, and gives it the defaults of that. Mutates. */
export function canonicalize(object: KubeObject, structure: StructuralNode): void {
  prune(object, structure);
  dropStrayNulls(object, structure);
  applyStructuralDefaults(object, structure);
}

function withoutMetadata(object: KubeObject): unknown {
  const { metadata: _, ...rest } = object;
  return rest;
}
