import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { byteLength, patternMessage } from '@apiserver/apimachinery/validation';
import { validateCSIDriverName } from '../../core/pod-spec/volumes/remote-volume-sources.js';
import { validateDNS1123Subdomain } from '../../core/validation/dns-fields.js';

const MAX_POOL_NAME_BYTES = 253;
const MAX_DOMAIN_LENGTH = 63;
const MAX_ID_LENGTH = 32;

/** Maximum length of attribute and capacity names in paths of messages. */
export const MAX_QUALIFIED_NAME_LENGTH = MAX_DOMAIN_LENGTH + 1 + MAX_ID_LENGTH;

/** Drivers of devices have the same names as drivers of volumes. Upstream: validateDriverName */
export const validateDriverName = validateCSIDriverName;

/**
 * Validates DNS names separated by slashes.
 * Upstream: validatePoolName of pkg/apis/resource/validation/validation.go
 */
export function validatePoolName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [fieldRequired(path, '')];
  return [
    ...(byteLength(name) > MAX_POOL_NAME_BYTES ? [fieldTooLong(path, MAX_POOL_NAME_BYTES)] : []),
    ...name.split('/').flatMap((part) => validateDNS1123Subdomain(part, path)),
  ];
}

/**
 * Validates an identifier with an optional domain; one with more slashes is not validated further.
 * Upstream: validateQualifiedName
 */
export function validateQualifiedDeviceName(name: string, path: FieldPath): FieldError[] {
  const [first = '', second, ...more] = name.split('/');
  if (second === undefined) return validateIdentifier(first, path);
  if (more.length > 0) return [];
  return [
    ...(first === '' ? [fieldInvalid(path, '', 'the domain must not be empty')] : validateDriverName(first, path)),
    ...(second === '' ? [fieldInvalid(path, '', 'the name must not be empty')] : validateIdentifier(second, path)),
  ];
}

/** Requires a domain. Upstream: validateFullyQualifiedName */
export function validateFullyQualifiedDeviceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateQualifiedDeviceName(name, path);
  if (name.includes('/')) return errors;
  const detail = 'a fully qualified name must be a domain and a name separated by a slash';
  return [...errors, fieldInvalid(path, name, detail)];
}

/** Upstream: validateCIdentifier */
function validateIdentifier(id: string, path: FieldPath): FieldError[] {
  const errors = byteLength(id) > MAX_ID_LENGTH ? [fieldTooLong(path, MAX_ID_LENGTH)] : [];
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(id)) return errors;
  const sentence =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  const fault = patternMessage(sentence, '[A-Za-z_][A-Za-z0-9_]*', 'my_name', 'MY_NAME', 'MyName');
  return [...errors, fieldInvalid(path, id, fault)];
}

/** Validates a UUID in its canonical form. Upstream: validateUID */
export function validateShareID(id: string, path: FieldPath): FieldError[] {
  const fault = uuidFault(id);
  if (fault !== undefined) return [fieldInvalid(path, id, `error validating uid: ${fault}`)];
  if (id.length === 36 && id === id.toLowerCase()) return [];
  const form = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
  const detail = `uid must be in RFC 4122 normalized form, \`${form}\` with lowercase hexadecimal characters`;
  return [fieldInvalid(path, id, detail)];
}

/** The fault in the words of upstream's library. Upstream: Validate of github.com/google/uuid */
function uuidFault(id: string): string | undefined {
  const hyphened = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
  const format = (isValid: boolean) => (isValid ? undefined : 'invalid UUID format');
  switch (byteLength(id)) {
    case 32:
      return format(/^[0-9a-f]*$/i.test(id));
    case 36:
      return format(hyphened.test(id));
    case 38:
      if (!/^\{.*\}$/.test(id)) return 'invalid bracketed UUID format';
      return format(hyphened.test(id.slice(1, -1)));
    case 45:
      if (!/^urn:uuid:/i.test(id)) return `invalid urn prefix: ${quote(id.slice(0, 9))}`;
      return format(hyphened.test(id.slice(9)));
    default:
      return `invalid UUID length: ${byteLength(id)}`;
  }
}
