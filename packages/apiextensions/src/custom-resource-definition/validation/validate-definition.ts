import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceValidation,
  JSONSchemaProps,
} from '@apiserver/api/apiextensions/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  seenBefore,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { type CompilePattern, compileTogether } from '@apiserver/apimachinery/patterns';
import {
  isDNS1035Label,
  isDNS1123Subdomain,
  nameIsDNSSubdomain,
  validateImmutableField,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@apiserver/apimachinery/validation';
import { hasRules } from '../../rules/has-rules.js';
import type { SchemaWithRules } from '../../rules/validate-expressions.js';
import { someSchema } from '../../schema/schemas-in.js';
import { unsupportedConstruct } from '../../schema/unsupported-construct.js';
import { isConditionTrue, versionsOf } from '../types.js';
import { internalSchema } from './internal-schema.js';
import { internalVersions } from './internal-versions.js';
import { validateApiApproval } from './validate-api-approval.js';
import { validateColumn, validateSubresources } from './validate-columns.js';
import { conversionRules, validateConversion } from './validate-conversion.js';
import { validateDefaults } from './validate-defaults.js';
import { requireNames, validateNames } from './validate-names.js';
import { validateSchema } from './validate-schema.js';
import { validateSelectableFields } from './validate-selectable-fields.js';
import { validateStructural } from './validate-structural.js';

/** The context of one validation. */
export interface DefinitionValidation {
  readonly compilePattern: CompilePattern;
  /** Gets the schemas whose rules are to be checked. */
  readonly withRules: SchemaWithRules[];
}

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
  return [
    ...validateGroup(spec.group),
    ...validateScope(spec.scope),
    ...versions.flatMap((version, i) => requireSchema(version, SPEC.child('versions').index(i))),
    ...validateDefaultsAllowed(definition),
    ...versions.flatMap((version, i) => validateVersionName(version, i)),
    ...validateVersionContents(versions, {
      ...validation,
      compilePattern: compileTogether(validation.compilePattern),
      oldVersions: old === undefined ? [] : versionsOf(old),
    }),
    ...validateVersionSet(definition),
    ...requireNames(spec.names, SPEC.child('names')),
    ...validateNames(spec.names, SPEC.child('names')),
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

function requireSchema({ schema }: CustomResourceDefinitionVersion, at: FieldPath): FieldError[] {
  if (schema?.openAPIV3Schema !== undefined) return [];
  return [fieldRequired(at.child('schema', 'openAPIV3Schema'), '')];
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

/** The first name counts twice, because upstream's internal form also has it beside the list. */
function validateVersionName({ name }: CustomResourceDefinitionVersion, index: number): FieldError[] {
  const faults = isDNS1035Label(name);
  if (faults.length === 0) return [];
  const own = fieldInvalid(SPEC.child('versions').index(index).child('name'), name, faults.join(','));
  return index === 0 && name !== '' ? [own, fieldInvalid(SPEC.child('version'), name, faults.join(','))] : [own];
}

/**
 * Faults common to all versions are reported once, at paths of the spec. Upstream validates its internal form, which
 * has common schemas, subresources, columns and selectable fields beside the versions.
 */
function validateVersionContents(
  versions: readonly CustomResourceDefinitionVersion[],
  { oldVersions, ...validation }: VersionRules,
): FieldError[] {
  const [first] = versions;
  if (first === undefined) return [];
  const shared = (name: keyof CustomResourceDefinitionVersion) => isShared(versions, name);
  const placesOf = (name: keyof CustomResourceDefinitionVersion, sharedName: string) =>
    shared(name)
      ? [{ version: first, at: SPEC.child(sharedName) }]
      : versions.map((version, i) => ({ version, at: SPEC.child('versions').index(i).child(name) }));
  const anyStatus = versions.some(({ subresources }) => subresources?.status !== undefined);
  return [
    ...versions.flatMap((version, i) => validateDeprecation(version, SPEC.child('versions').index(i))),
    ...placesOf('schema', 'validation').flatMap(({ version, at }) => {
      const hasStatus = shared('schema') ? anyStatus : version.subresources?.status !== undefined;
      const isStored = hasSchemaIn(oldVersions, version);
      return validateSchemaOf(version.schema, { at, hasStatus, isStored, ...validation });
    }),
    ...placesOf('subresources', 'subresources').flatMap(({ version, at }) =>
      validateSubresources(version.subresources, at),
    ),
    ...placesOf('additionalPrinterColumns', 'additionalPrinterColumns').flatMap(({ version, at }) =>
      (version.additionalPrinterColumns ?? []).flatMap((column, i) => validateColumn(column, at.index(i))),
    ),
    ...validateSelectable(versions, { schema: shared('schema'), selectableFields: shared('selectableFields') }),
  ];
}

/** Selectable fields common to all versions are beside the versions. A schema elsewhere does not count. */
function validateSelectable(
  versions: readonly CustomResourceDefinitionVersion[],
  shared: { readonly schema: boolean; readonly selectableFields: boolean },
): FieldError[] {
  const places = shared.selectableFields ? versions.slice(0, 1) : versions;
  return places.flatMap((version, i) => {
    const props = shared.schema === shared.selectableFields ? version.schema?.openAPIV3Schema : undefined;
    const at = shared.selectableFields ? SPEC : SPEC.child('versions').index(i);
    return validateSelectableFields(version, props, { at, isShared: shared.selectableFields });
  });
}

/** Fields that are beside the versions if all versions have the same value. */
const SHARED_FIELDS: readonly (keyof CustomResourceDefinitionVersion)[] = [
  'schema',
  'subresources',
  'additionalPrinterColumns',
  'selectableFields',
];

/** Reports whether all versions have the same value. */
function isShared(
  versions: readonly CustomResourceDefinitionVersion[],
  name: keyof CustomResourceDefinitionVersion,
): boolean {
  const first = versions[0]?.[name];
  return first !== undefined && versions.every((version) => equalJson(version[name], first));
}

interface VersionRules extends DefinitionValidation {
  /** The versions before an update. */
  readonly oldVersions: readonly CustomResourceDefinitionVersion[];
}

/** Upstream: findVersionsWithUnchangedSchemas */
function hasSchemaIn(
  oldVersions: readonly CustomResourceDefinitionVersion[],
  { name, schema }: CustomResourceDefinitionVersion,
): boolean {
  return oldVersions.some((old) => old.name === name && equalJson(old.schema, schema));
}

interface SchemaRules extends DefinitionValidation {
  readonly at: FieldPath;
  readonly hasStatus: boolean;
  readonly isStored: boolean;
}

/** Upstream: validateCustomResourceDefinitionValidation */
function validateSchemaOf(schema: CustomResourceValidation | undefined, rules: SchemaRules): FieldError[] {
  const props = schema?.openAPIV3Schema;
  if (props === undefined) return [];
  const { hasStatus, isStored, compilePattern, withRules } = rules;
  const at = rules.at.child('openAPIV3Schema');
  const faulty = new Set<JSONSchemaProps>();
  const forbidden = validateSchema(props, at, faulty);
  const unsupported = unsupportedConstruct(props);
  const isConvertible = unsupported === undefined;
  const structural = isConvertible ? validateStructural(props, at, compilePattern) : [];
  const isStructural = isConvertible && structural.length === 0;
  const faultyDefaults = new Set<JSONSchemaProps>();
  const defaults = isStructural ? validateDefaults(props, at, compilePattern, faultyDefaults) : [];
  const areDefaultsSound = defaults.length === 0;
  if (isStructural && hasRules(props)) {
    withRules.push({ props, at, faulty, isStored, faultyDefaults, areDefaultsSound });
  }
  const errors = [
    ...(hasStatus ? validateRoot(props, rules.at) : []),
    ...(props.nullable === true
      ? [fieldForbidden(rules.at.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root')]
      : []),
    ...structural,
    ...defaults,
    ...forbidden,
  ];
  return errors.length === 0 && !isConvertible ? [fieldInvalid(at, '', unsupported)] : errors;
}

const rootFields: ReadonlyMap<string, string> = new Map(
  [
    'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems',
    'MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations',
  ]
    .join(' ')
    .split(' ')
    .map((name) => [jsonNameOf(name), name]),
);

function jsonNameOf(name: string): string {
  if (name === 'XPreserveUnknownFields') return 'x-kubernetes-preserve-unknown-fields';
  if (name === 'XValidations') return 'x-kubernetes-validations';
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** With a status subresource, the status is validated separately: constraints at the root must not apply to it. */
function validateRoot(props: NonNullable<CustomResourceValidation['openAPIV3Schema']>, at: FieldPath): FieldError[] {
  if (props.type !== undefined && props.type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [fieldInvalid(at.child('openAPIV3Schema.type'), props.type, detail)];
  }
  if (Object.keys(props).every((name) => rootFields.has(name))) return [];
  const allowed = [...rootFields.values()].join(' ');
  const detail = `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [fieldInvalid(at.child('openAPIV3Schema'), internalSchema(props), detail)];
}

function validateDeprecation(version: CustomResourceDefinitionVersion, at: FieldPath): FieldError[] {
  const { deprecated, deprecationWarning: text } = version;
  if (text === undefined) return [];
  const path = at.child('deprecationWarning');
  if (deprecated !== true) return [fieldInvalid(path, text, 'can only be set for deprecated versions')];
  const faults: string[] = [];
  if (Buffer.byteLength(text) > 256) faults.push('must be <= 256 characters long');
  if (text === '') faults.push('must not be an empty string');
  const odd = /[\p{C}\u2028\u2029]/u.exec(text);
  if (odd !== null) {
    const index = Buffer.byteLength(text.slice(0, odd.index));
    faults.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
  return faults.map((fault) => fieldInvalid(path, text, fault));
}

function validateVersionSet(definition: CustomResourceDefinition): FieldError[] {
  const at = SPEC.child('versions');
  const versions = versionsOf(definition);
  const faults: string[] = [];
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    faults.push('must contain unique version names');
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    faults.push('must have exactly one version marked as storage version');
  }
  if (faults.length === 0) return [];
  const shared = new Map(SHARED_FIELDS.map((name) => [name, isShared(versions, name)]));
  const shown = internalVersions(definition.spec.versions, (name) => shared.get(name) ?? false);
  return faults.map((fault) => fieldInvalid(at, shown, fault));
}

/** Upstream: ValidateCustomResourceDefinitionStoredVersions */
function validateStoredVersions(definition: CustomResourceDefinition): FieldError[] {
  const at = STATUS.child('storedVersions');
  const stored = definition.status.storedVersions ?? [];
  if (stored.length === 0) return [fieldInvalid(at, null, 'must have at least one stored version')];
  const versions = versionsOf(definition);
  // A second version of the same name finds its entry taken, as upstream.
  const lastIndexes = new Map(stored.map((name, i) => [name, i]));
  const isTaken = seenBefore<string>();
  const missing = versions.filter(({ storage, name }) => {
    const isFirst = !isTaken(name);
    return storage && !(lastIndexes.has(name) && isFirst);
  });
  const names = new Set(versions.map(({ name }) => name));
  const gone = stored.flatMap((name, i) => (lastIndexes.get(name) === i && !names.has(name) ? [{ name, i }] : []));
  return [
    ...missing.map(({ name }) => fieldInvalid(at, stored, `must have the storage version ${name}`)),
    ...gone.map(({ name, i }) =>
      fieldInvalid(
        at.index(i),
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ` +
          `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from ` +
          'status.storedVersions',
      ),
    ),
  ];
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
