import type { DeviceAttribute } from '@apiserver/api/resource/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldTooLong } from '@apiserver/apimachinery/field';
import { byteLength } from '@apiserver/apimachinery/validation';

const MAX_VALUE_BYTES = 64;
const FIELDS = ['int', 'bool', 'string', 'version', 'ints', 'bools', 'strings', 'versions'] as const;

type ListField = 'ints' | 'bools' | 'strings' | 'versions';

/** Requires one value of one type. Upstream: validateDeviceAttribute of pkg/apis/resource/validation/validation.go */
export function validateDeviceAttribute(attribute: DeviceAttribute, path: FieldPath): FieldError[] {
  const { string, version, strings = [], versions = [] } = attribute;
  const listErrors = (field: ListField) => validateNotEmpty(attribute[field], path.child(field));
  const given = FIELDS.filter((field) => attribute[field] !== undefined).length;
  const detail = 'exactly one value must be specified';
  return [
    ...(string === undefined ? [] : validateString(string, path.child('string'))),
    ...(version === undefined ? [] : validateVersion(version, path.child('version'))),
    ...listErrors('bools'),
    ...listErrors('ints'),
    ...listErrors('strings'),
    ...strings.flatMap((item, i) => validateString(item, path.child('strings').index(i))),
    ...listErrors('versions'),
    ...versions.flatMap((item, i) => validateVersion(item, path.child('versions').index(i))),
    ...(given === 0 ? [fieldInvalid(path, '', detail)] : []),
    ...(given > 1 ? [fieldInvalid(path, printed(attribute), detail)] : []),
  ];
}

function validateNotEmpty(list: readonly unknown[] | undefined, path: FieldPath): FieldError[] {
  return list?.length === 0 ? [fieldInvalid(path, list, 'must not be empty if specified')] : [];
}

function validateString(text: string, path: FieldPath): FieldError[] {
  return byteLength(text) > MAX_VALUE_BYTES ? [fieldTooLong(path, MAX_VALUE_BYTES)] : [];
}

function validateVersion(text: string, path: FieldPath): FieldError[] {
  const detail = 'must be a string compatible with semver.org spec 2.0.0';
  return [...(isSemanticVersion(text) ? [] : [fieldInvalid(path, text, detail)]), ...validateString(text, path)];
}

let semanticVersion: RegExp | undefined;

function isSemanticVersion(text: string): boolean {
  semanticVersion ??= semanticVersionPattern();
  return semanticVersion.test(text);
}

function semanticVersionPattern(): RegExp {
  const number = '(?:0|[1-9]\\d*)';
  const preRelease = `(?:${number}|\\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
  const build = '[0-9a-zA-Z-]+';
  const pattern = `^${number}\\.${number}\\.${number}(?:-${preRelease}(?:\\.${preRelease})*)?(?:\\+${build}(?:\\.${build})*)?$`;
  return new RegExp(pattern);
}

/** Formatted as upstream: the fields of its internal type. */
function printed(attribute: DeviceAttribute): object {
  const capital = (field: string) => `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const nameOf = (field: string) =>
    field.endsWith('s') ? `${capital(field.slice(0, -1))}Values` : `${capital(field)}Value`;
  return Object.fromEntries(FIELDS.map((field) => [nameOf(field), attribute[field] ?? null]));
}
