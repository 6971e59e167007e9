import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';

/**
 * Reports whether validation checks the format of a schema, which depends on its type.
 *
 * Upstream: GetUnrecognizedFormats of k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go
 */
export function isSupportedFormat({ type = '', format = '' }: JSONSchemaProps): boolean {
  if (type === '' || type === 'string') return textFormats.has(format.replaceAll('-', ''));
  return formatsOfNumbers[type]?.includes(format) ?? false;
}

const formatsOfNumbers: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** Upstream: supportedVersionedFormats */
const textFormats: ReadonlySet<string> = new Set(
  [
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn',
    'hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname',
  ]
    .join(' ')
    .split(' '),
);
