import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@apiserver/api/apiextensions/v1';
import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { isPrintable } from '@apiserver/apimachinery/text';
import { isDNS1035Label } from '@apiserver/apimachinery/validation';
import { equalSchemas } from '../empty-members.js';
import { versionsOf } from '../types.js';
import { internalVersions } from './internal-versions.js';
import { validateColumn, validateSubresources } from './validate-columns.js';
import { validateSelectableFields } from './validate-selectable-fields.js';
import { type DefinitionValidation, validateVersionSchema } from './validate-version-schema.js';

const SPEC = FieldPath.of('spec');
const VERSIONS = SPEC.child('versions');

type Version = CustomResourceDefinitionVersion;

/** Each version is installed, described and discovered. Upstream has no such bound. */
const MAX_VERSIONS = 300;

/** A definition that already had more versions may keep as many. */
export function validateVersionCount(versions: readonly Version[], old: readonly Version[]): FieldError[] {
  const { length } = versions;
  return length > Math.max(MAX_VERSIONS, old.length) ? [fieldTooMany(VERSIONS, length, MAX_VERSIONS)] : [];
}

/** Every version needs a schema. */
export function requireSchemas(versions: readonly Version[]): FieldError[] {
  return versions.flatMap(({ schema }, i) =>
    schema?.openAPIV3Schema === undefined
      ? [fieldRequired(VERSIONS.index(i).child('schema', 'openAPIV3Schema'), '')]
      : [],
  );
}

/** The context of the versions of one definition. */
export interface VersionRules extends DefinitionValidation {
  /** The versions before an update. */
  readonly oldVersions: readonly Version[];
}

/**
 * Validates the versions one by one, without what is common to all: upstream validates its internal form, which has
 * common schemas, subresources, columns and selectable fields beside the versions.
 */
export function validateEachVersion(versions: readonly Version[], rules: VersionRules): FieldError[] {
  const own = fieldsOf(versions, (name) => !isShared(versions, name));
  return versions.flatMap((version, i) => {
    const at = VERSIONS.index(i);
    return [
      ...validateVersionName(version.name, at.child('name')),
      ...validateDeprecation(version, at),
      ...validateContents(version, own, { ...rules, at, isShared: false, hasStatus: hasStatus(version) }),
    ];
  });
}

/** Validates what is common to all versions, once. */
export function validateSharedContents(versions: readonly Version[], rules: VersionRules): FieldError[] {
  const [first] = versions;
  if (first === undefined) return [];
  const shared = fieldsOf(versions, (name) => isShared(versions, name));
  return validateContents(first, shared, { ...rules, at: SPEC, isShared: true, hasStatus: versions.some(hasStatus) });
}

/** Upstream's internal form has the name of the first version also beside the versions. */
export function validateFirstName([first]: readonly Version[]): FieldError[] {
  return first === undefined || first.name === '' ? [] : validateVersionName(first.name, SPEC.child('version'));
}

function validateVersionName(name: string, at: FieldPath): FieldError[] {
  const faults = isDNS1035Label(name);
  return faults.length === 0 ? [] : [fieldInvalid(at, name, faults.join(','))];
}

/** The owner of fields: a version, or the spec for all versions. */
interface ContentsRules extends VersionRules {
  readonly at: FieldPath;
  readonly isShared: boolean;
  /** True if the schema is that of a version with the subresource status. */
  readonly hasStatus: boolean;
}

/** Validates fields of a version, of those that are named. */
function validateContents(
  version: Version,
  names: ReadonlySet<keyof Version>,
  { oldVersions, isShared: atSpec, at, ...rules }: ContentsRules,
): FieldError[] {
  const fieldOf = <Name extends keyof Version>(name: Name) => (names.has(name) ? version[name] : undefined);
  const schema = fieldOf('schema');
  const { additionalPrinterColumns = [], selectableFields = [] } = version;
  const schemaAt = at.child(atSpec ? 'validation' : 'schema');
  const columnsAt = at.child('additionalPrinterColumns');
  return [
    ...validateVersionSchema(schema, { ...rules, at: schemaAt, isStored: hasSchemaIn(oldVersions, version) }),
    ...validateSubresources(fieldOf('subresources'), at.child('subresources')),
    ...(names.has('additionalPrinterColumns') ? additionalPrinterColumns : []).flatMap((column, i) =>
      validateColumn(column, columnsAt.index(i)),
    ),
    // A schema that is elsewhere does not count.
    ...validateSelectableFields(
      { selectableFields: names.has('selectableFields') ? selectableFields : [] },
      schema?.openAPIV3Schema,
      { at, isShared: atSpec },
    ),
  ];
}

const hasStatus = ({ subresources }: Version) => subresources?.status !== undefined;

function fieldsOf(versions: readonly Version[], wanted: (name: keyof Version) => boolean): ReadonlySet<keyof Version> {
  return new Set(versions.length === 0 ? [] : SHARED_FIELDS.filter(wanted));
}

/** Fields that are beside the versions if all versions have the same value. */
const SHARED_FIELDS: readonly (keyof Version)[] = [
  'schema',
  'subresources',
  'additionalPrinterColumns',
  'selectableFields',
];

/** Reports whether all versions have the same value. */
function isShared(versions: readonly Version[], name: keyof Version): boolean {
  const first = versions[0]?.[name];
  if (name === 'schema') return equalSchemasIn(versions);
  return first !== undefined && versions.every((version) => equalJson(version[name], first));
}

function equalSchemasIn([first, ...others]: readonly Version[]): boolean {
  return first?.schema !== undefined && others.every(({ schema }) => equalSchemas(schema, first.schema));
}

/** Upstream: findVersionsWithUnchangedSchemas */
function hasSchemaIn(oldVersions: readonly Version[], { name, schema }: Version): boolean {
  return oldVersions.some((old) => old.name === name && equalSchemas(old.schema, schema));
}

/** Upstream: validateDeprecationWarning */
function validateDeprecation(version: Version, at: FieldPath): FieldError[] {
  const { deprecated, deprecationWarning: text } = version;
  if (text === undefined) return [];
  const path = at.child('deprecationWarning');
  // Upstream shows pointers to texts in JSON.
  const shown = printedAsJson(text);
  if (deprecated !== true) return [fieldInvalid(path, shown, 'can only be set for deprecated versions')];
  const faults: string[] = [];
  if (Buffer.byteLength(text) > 256) faults.push('must be <= 256 characters long');
  if (text === '') faults.push('must not be an empty string');
  const odd = [...text].findIndex((character) => !isPrintable(character));
  if (odd >= 0) {
    const index = Buffer.byteLength([...text].slice(0, odd).join(''));
    faults.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
  return faults.map((fault) => fieldInvalid(path, shown, fault));
}

/** The names are unique, and one version is that of storage. */
export function validateVersionSet(definition: CustomResourceDefinition): FieldError[] {
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
  return faults.map((fault) => fieldInvalid(VERSIONS, shown, fault));
}
