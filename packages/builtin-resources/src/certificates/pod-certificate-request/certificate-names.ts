import {
  derTag,
  readDerElements,
  readDerString,
  readObjectIdentifier,
  readOnlyDerElement,
} from '@apiserver/apimachinery/x509';

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const EXTENSIONS = 0xa3;
const EMAIL = 0x81;
const DNS = 0x82;

/** The names in a certificate that are checked. */
export interface CertificateNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
}

/** Reads the alternative names of a certificate in DER; undefined if they are malformed. */
export function readCertificateNames(der: Uint8Array): CertificateNames | undefined {
  try {
    const names = extensionsOf(der).flatMap(namesOf);
    const textOf = (wanted: number) =>
      names.filter(({ tag }) => tag === wanted).map((name) => readDerString({ ...name, tag: derTag.ia5String }) ?? '');
    return { dns: textOf(DNS), emails: textOf(EMAIL) };
  } catch {
    return undefined;
  }
}

function extensionsOf(der: Uint8Array) {
  const [signed] = readDerElements(readOnlyDerElement(der, derTag.sequence).content);
  const wrapped = readDerElements(signed?.content ?? new Uint8Array()).find(({ tag }) => tag === EXTENSIONS);
  return wrapped === undefined ? [] : readDerElements(readOnlyDerElement(wrapped.content, derTag.sequence).content);
}

function namesOf({ content }: { readonly content: Uint8Array }) {
  const members = readDerElements(content);
  const [name, value] = [members[0], members.at(-1)];
  if (name === undefined || value === undefined) return [];
  if (readObjectIdentifier(name.content) !== SUBJECT_ALTERNATIVE_NAME) return [];
  return readDerElements(readOnlyDerElement(value.content, derTag.sequence).content);
}
