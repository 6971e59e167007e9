import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { byteLength, isDNS1123Label, isDNS1123Subdomain } from '@apiserver/apimachinery/validation';

const MAX_SUBDOMAIN = 253;
const MAX_LABEL = 63;
const MAX_LENGTH = MAX_SUBDOMAIN + 1 + MAX_SUBDOMAIN + 1 + MAX_LABEL;

/**
 * Validates a signer name: a domain, a slash and a path of subdomains.
 * Upstream: ValidateSignerName of pkg/apis/core/validation/names.go
 */
export function validateSignerName(name: string, path: FieldPath): FieldError[] {
  const missing = name === '' ? [fieldRequired(path, '')] : [];
  const [domain = '', signer = '', ...more] = name.split('/');
  if (!name.includes('/') || more.length > 0) {
    const form = `must be a fully qualified domain and path of the form 'example.com/signer-name'`;
    return [...missing, fieldInvalid(path, name, form)];
  }
  const labels = domain.split('.');
  return [
    ...missing,
    ...(byteLength(domain) > MAX_SUBDOMAIN ? [fieldTooLong(path, MAX_SUBDOMAIN)] : []),
    ...validateFirstFaulty(labels, domain, isDNS1123Label, path),
    ...(labels.length < 2
      ? [fieldInvalid(path, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...validateFirstFaulty(signer.split('.'), signer, isDNS1123Subdomain, path),
    ...(byteLength(name) > MAX_LENGTH ? [fieldTooLong(path, MAX_LENGTH)] : []),
  ];
}

/** The fault of the first invalid label. */
function validateFirstFaulty(
  labels: readonly string[],
  segment: string,
  faultsOf: (label: string) => readonly string[],
  path: FieldPath,
): FieldError[] {
  for (const label of labels) {
    const faults = faultsOf(label);
    if (faults.length === 0) continue;
    return faults.map((fault) => fieldInvalid(path, segment, `validating label ${quote(label)}: ${fault}`));
  }
  return [];
}
