import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { compileTogether } from '@apiserver/apimachinery/patterns';
import {
  isDNS1123Subdomain,
  nameIsDNSSubdomain,
  validateImmutableField,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@apiserver/apimachinery/validation';
import { someSchema } from '../../schema/schemas-in.js';
import { isConditionTrue, versionsOf } from '../types.js';
import { validateApiApproval } from './validate-api-approval.js';
import { conversionRules, validateConversion } from './validate-conversion.js';
import { requireNames, validateNames } from './validate-names.js';
import { validateStoredVersions } from './validate-stored-versions.js';
import type { DefinitionValidation } from './validate-version-schema.js';
import {
  requireSchemas,
  validateEachVersion,
  validateFirstName,
  validateSharedContents,
  validateVersionCount,
  validateVersionSet,
} from './validate-versions.js';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');

/**
 * The reasons why a definition cannot be created.
 *
 * Upstream: ValidateCustomResourceDefinition of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function validateDefinition(
  definition: CustomResourceDefinition,
  validation: DefinitionValidation,
): FieldError[] {
  const { spec } = definition;
  const wanted = `${spec.names.plural}.${spec.group}`;
  const metadata = validateObjectMeta(definition.metadata, {
    namespaced: false,
    validateName: (name, prefix) => [
      ...nameIsDNSSubdomain(name, prefix),
      ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group']),
    ],
    path: METADATA,
  });
  return [
    ...metadata,
    ...validateSpec(definition, undefined, validation),
    ...validateStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApiApproval(definition, undefined),
    ...validatePreserveUnknownFields(definition, undefined),
  ];
}

/** Upstream: ValidateCustomResourceDefinitionUpdate */
export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
  validation: DefinitionValidation,
): FieldError[] {
  const { spec } = definition;
  const names = SPEC.child('names');
  const established = isConditionTrue(old, 'Established')
    ? [
        ...validateImmutableField(spec.scope, old.spec.scope, SPEC.child('scope')),
        ...validateImmutableField(spec.names.kind, old.spec.names.kind, names.child('kind')),
      ]
    : [];
  return [
    ...validateObjectMetaUpdate(definition.metadata, old.metadata, METADATA),
    ...validateSpec(definition, old, validation),
    ...established,
    ...validateImmutableField(spec.group, old.spec.group, SPEC.child('group')),
    ...validateImmutableField(spec.names.plural, old.spec.names.plural, names.child('plural')),
    ...validateStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApiApproval(definition, old),
    ...validatePreserveUnknownFields(definition, old),
  ];
}

/** Upstream: ValidateUpdateCustomResourceDefinitionStatus */
export function validateDefinitionStatusUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldError[] {
  return [...validateObjectMetaUpdate(definition.metadata, old.metadata, METADATA), ...validateStatus(definition)];
}

function validateStatus({ status }: CustomResourceDefinition): FieldError[] {
  return validateNames(status.acceptedNames, STATUS.child('acceptedNames'));
}

function validateSpec(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  validation: DefinitionValidation,
): FieldError[] {
  const { spec } = definition;
  const versions = versionsOf(definition);
  const oldVersions = old === undefined ? [] : versionsOf(old);
  const tooMany = validateVersionCount(versions, oldVersions);
  if (tooMany.length > 0) return tooMany;
  const rules = { ...validation, compilePattern: compileTogether(validation.compilePattern), oldVersions };
  return [
    ...validateGroup(spec.group),
    ...validateScope(spec.scope),
    ...requireSchemas(versions),
    ...validateDefaultsAllowed(definition),
    ...validateEachVersion(versions, rules),
    ...validateVersionSet(definition),
    ...validateFirstName(versions),
    ...requireNames(spec.names, SPEC.child('names')),
    ...validateNames(spec.names, SPEC.child('names')),
    ...validateSharedContents(versions, rules),
    ...validateConversion(spec, SPEC.child('conversion'), conversionRules(old)),
  ];
}

function validateGroup(group: string): FieldError[] {
  const at = SPEC.child('group');
  if (group === '') return [fieldRequired(at, '')];
  const faults = isDNS1123Subdomain(group);
  if (faults.length > 0) return [fieldInvalid(at, group, faults.join(','))];
  return group.includes('.') ? [] : [fieldInvalid(at, group, 'should be a domain with at least one dot')];
}

function validateScope(scope: string): FieldError[] {
  const at = SPEC.child('scope');
  if (scope === '') return [fieldRequired(at, '')];
  return scope === 'Cluster' || scope === 'Namespaced' ? [] : [fieldNotSupported(at, scope, ['Cluster', 'Namespaced'])];
}

function validateDefaultsAllowed(definition: CustomResourceDefinition): FieldError[] {
  if (definition.spec.preserveUnknownFields !== true) return [];
  const hasDefaults = versionsOf(definition).some(({ schema }) => {
    const props = schema?.openAPIV3Schema;
    return props !== undefined && someSchema(props, (one) => one.default !== undefined);
  });
  const detail = 'must be false in order to use defaults in the schema';
  return hasDefaults ? [fieldInvalid(SPEC.child('preserveUnknownFields'), true, detail)] : [];
}

function validatePreserveUnknownFields(
  { spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  if (spec.preserveUnknownFields !== true || old?.spec.preserveUnknownFields === true) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [fieldInvalid(SPEC.child('preserveUnknownFields'), true, detail)];
}
