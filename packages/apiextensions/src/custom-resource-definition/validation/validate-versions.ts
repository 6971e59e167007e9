import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@apiserver/api/apiextensions/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { isPrintable } from '@apiserver/apimachinery/text';
import { isDNS1035Label } from '@apiserver/apimachinery/validation';
import { versionsOf } from '../types.js';
import { internalVersions } from './internal-versions.js';
import { validateColumn, validateSubresources } from './validate-columns.js';
import { validateSelectableFields } from './validate-selectable-fields.js';
import { type DefinitionValidation, validateVersionSchema } from './validate-version-schema.js';

const SPEC = FieldPath.of('spec');
const VERSIONS = SPEC.child('versions');

type Version = CustomResourceDefinitionVersion;

/** Every version needs a schema. */
export function requireSchemas(versions: readonly Version[]): FieldError[] {
  return versions.flatMap(({ schema }, i) =>
    schema?.openAPIV3Schema === undefined
      ? [fieldRequired(VERSIONS.index(i).child('schema', 'openAPIV3Schema'), '')]
      : [],
  );
}

/** The first name counts twice, because upstream's internal form also has it beside the list. */
export function validateVersionNames(versions: readonly Version[]): FieldError[] {
  return versions.flatMap(({ name }, i) => {
    const faults = isDNS1035Label(name);
    if (faults.length === 0) return [];
    const own = fieldInvalid(VERSIONS.index(i).child('name'), name, faults.join(','));
    return i === 0 && name !== '' ? [own, fieldInvalid(SPEC.child('version'), name, faults.join(','))] : [own];
  });
}

/** The context of the versions of one definition. */
export interface VersionRules extends DefinitionValidation {
  /** The versions before an update. */
  readonly oldVersions: readonly Version[];
}

/**
 * Validates the fields of the versions. Faults common to all versions are reported once, at paths of the spec. Upstream
 * validates its internal form, which has common schemas, subresources, columns and selectable fields beside the
 * versions.
 */
export function validateVersionContents(
  versions: readonly Version[],
  { oldVersions, ...validation }: VersionRules,
): FieldError[] {
  const [first] = versions;
  if (first === undefined) return [];
  const shared = (name: keyof Version) => isShared(versions, name);
  const placesOf = (name: keyof Version, sharedName: string) =>
    shared(name)
      ? [{ version: first, at: SPEC.child(sharedName) }]
      : versions.map((version, i) => ({ version, at: VERSIONS.index(i).child(name) }));
  const anyStatus = versions.some(({ subresources }) => subresources?.status !== undefined);
  return [
    ...versions.flatMap((version, i) => validateDeprecation(version, VERSIONS.index(i))),
    ...placesOf('schema', 'validation').flatMap(({ version, at }) => {
      const hasStatus = shared('schema') ? anyStatus : version.subresources?.status !== undefined;
      const isStored = hasSchemaIn(oldVersions, version);
      return validateVersionSchema(version.schema, { at, hasStatus, isStored, ...validation });
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
  versions: readonly Version[],
  shared: { readonly schema: boolean; readonly selectableFields: boolean },
): FieldError[] {
  const places = shared.selectableFields ? versions.slice(0, 1) : versions;
  return places.flatMap((version, i) => {
    const props = shared.schema === shared.selectableFields ? version.schema?.openAPIV3Schema : undefined;
    const at = shared.selectableFields ? SPEC : VERSIONS.index(i);
    return validateSelectableFields(version, props, { at, isShared: shared.selectableFields });
  });
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
  return first !== undefined && versions.every((version) => equalJson(version[name], first));
}

/** Upstream: findVersionsWithUnchangedSchemas */
function hasSchemaIn(oldVersions: readonly Version[], { name, schema }: Version): boolean {
  return oldVersions.some((old) => old.name === name && equalJson(old.schema, schema));
}

/** Upstream: validateDeprecationWarning */
function validateDeprecation(version: Version, at: FieldPath): FieldError[] {
  const { deprecated, deprecationWarning: text } = version;
  if (text === undefined) return [];
  const path = at.child('deprecationWarning');
  if (deprecated !== true) return [fieldInvalid(path, text, 'can only be set for deprecated versions')];
  const faults: string[] = [];
  if (Buffer.byteLength(text) > 256) faults.push('must be <= 256 characters long');
  if (text === '') faults.push('must not be an empty string');
  const odd = [...text].findIndex((character) => !isPrintable(character));
  if (odd >= 0) {
    const index = Buffer.byteLength([...text].slice(0, odd).join(''));
    faults.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
  return faults.map((fault) => fieldInvalid(path, text, fault));
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
