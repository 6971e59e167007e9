import { derTag, readDerElements, readObjectIdentifier, readOnlyDerElement } from '@apiserver/apimachinery/x509';

/** The tag of the list of extensions in a certificate. */
const EXTENSIONS = 0xa3;
const BASIC_CONSTRAINTS = '2.5.29.19';
const TRUE = 0xff;

/** The values of a certificate's extensions of one kind. Throws if the certificate is no DER. */
export function extensionValues(der: Uint8Array, identifier: string): Uint8Array[] {
  const [signed] = readDerElements(readOnlyDerElement(der, derTag.sequence).content);
  const wrapped = readDerElements(signed?.content ?? new Uint8Array()).find(({ tag }) => tag === EXTENSIONS);
  if (wrapped === undefined) return [];
  return readDerElements(readOnlyDerElement(wrapped.content, derTag.sequence).content).flatMap(({ content }) => {
    const members = readDerElements(content);
    const [name, value] = [members[0], members.at(-1)];
    if (name === undefined || value === undefined) return [];
    return readObjectIdentifier(name.content) === identifier ? [value.content] : [];
  });
}

/**
 * True for the certificate of an authority by its basic constraints alone. `X509Certificate.ca` also takes its key
 * usage into account. Throws if the certificate is no DER.
 */
export function isAuthority(der: Uint8Array): boolean {
  const [constraints] = extensionValues(der, BASIC_CONSTRAINTS);
  if (constraints === undefined) return false;
  const [first] = readDerElements(readOnlyDerElement(constraints, derTag.sequence).content);
  return first?.tag === derTag.boolean && first.content[0] === TRUE;
}
