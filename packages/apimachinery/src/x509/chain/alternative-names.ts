import { quote } from '../../text/index.js';
import { formatIPAddress } from '../../values/index.js';
import { type DerElement, derTag, readDerElements, readOnlyDerElement } from '../der-reader.js';
import { CertificateError } from './certificate-error.js';
import { certificateUrlFault } from './domain-name.js';

/** Tags of the kinds of names that Go reads. Upstream: GeneralName of RFC 5280 */
export const generalName = { email: 0x81, dns: 0x82, uri: 0x86, address: 0x87 } as const;

/** Names of a certificate's holder besides the subject. */
export interface AlternativeNames {
  readonly emails: readonly string[];
  readonly dnsNames: readonly string[];
  readonly uris: readonly string[];
  /** 4 or 16 bytes each. */
  readonly addresses: readonly Uint8Array[];
}

/**
 * Reads the extension subjectAltName; other kinds of names are skipped. Throws a CertificateError for malformed names.
 * Upstream: parseSANExtension of crypto/x509
 */
export function readAlternativeNames(extension: Uint8Array): AlternativeNames {
  const names = readDerElements(readOnlyDerElement(extension, derTag.sequence).content);
  const texts = (tag: number, kind: string) =>
    names.filter((name) => name.tag === tag).map((name) => readIa5String(name, () => `x509: SAN ${kind} is malformed`));
  const uris = texts(generalName.uri, 'uniformResourceIdentifier');
  for (const uri of uris) checkUri(uri);
  return {
    emails: texts(generalName.email, 'rfc822Name'),
    dnsNames: texts(generalName.dns, 'dNSName'),
    uris,
    addresses: names.filter(({ tag }) => tag === generalName.address).map(({ content }) => readAddress(content)),
  };
}

function checkUri(uri: string): void {
  const fault = certificateUrlFault(uri);
  if (fault !== undefined) throw new CertificateError(`x509: cannot parse URI ${quote(uri)}: ${fault}`);
}

function readAddress(content: Uint8Array): Uint8Array {
  if (content.length === 4 || content.length === 16) return content;
  throw new CertificateError(`x509: cannot parse IP address of length ${content.length}`);
}

/** A text of ASCII characters. Throws a CertificateError for others. */
export function readIa5String({ content }: DerElement, messageFor: (text: string) => string): string {
  const text = Buffer.from(content);
  if (text.some((byte) => byte > 0x7f)) throw new CertificateError(messageFor(text.toString()));
  return text.toString('latin1');
}

const MAPPED_PREFIX = Buffer.from('00000000000000000000ffff', 'hex');

/** The 4 bytes of an IPv4 address, also of one that IPv6 maps; undefined for others. Upstream: To4 of net.IP */
export function ipv4Of(address: Uint8Array): Uint8Array | undefined {
  if (address.length === 4) return address;
  return MAPPED_PREFIX.equals(address.subarray(0, 12)) ? address.subarray(12) : undefined;
}

/** As Go prints an address. */
export function formatAddress(address: Uint8Array): string {
  return formatIPAddress([...(ipv4Of(address) ?? address)]);
}
