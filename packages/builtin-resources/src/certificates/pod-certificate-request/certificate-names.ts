import { derTag, readDerElements, readDerString, readOnlyDerElement } from '@apiserver/apimachinery/x509';
import { extensionValues } from '../certificate-extensions.js';

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
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
    const names = extensionValues(der, SUBJECT_ALTERNATIVE_NAME).flatMap((value) =>
      readDerElements(readOnlyDerElement(value, derTag.sequence).content),
    );
    const textOf = (wanted: number) =>
      names.filter(({ tag }) => tag === wanted).map((name) => readDerString({ ...name, tag: derTag.ia5String }) ?? '');
    return { dns: textOf(DNS), emails: textOf(EMAIL) };
  } catch {
    return undefined;
  }
}
