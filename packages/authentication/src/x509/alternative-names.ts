import { formatIPAddress } from '@apiserver/apimachinery/values';
import { type DerElement, derTag, readDerElements, readOnlyDerElement } from '@apiserver/apimachinery/x509';

/** The kinds of names in certificates that Go reads: the tags of GeneralName in RFC 5280. */
const generalName = { email: 0x81, dns: 0x82, uri: 0x86, address: 0x87 } as const;

/** Names of a certificate's holder besides the subject. */
export interface AlternativeNames {
  readonly emails: readonly string[];
  readonly dnsNames: readonly string[];
  readonly uris: readonly string[];
  /** 4 or 16 bytes each. */
  readonly addresses: readonly Uint8Array[];
}

/** A part of a certificate that cannot be used. */
class CertificateError extends Error {}

const none: AlternativeNames = { emails: [], dnsNames: [], uris: [], addresses: [] };

/**
 * Reads the extension subjectAltName; other kinds of names are skipped. Throws an Error for malformed names.
 * Upstream: parseSANExtension of crypto/x509
 */
export function readAlternativeNames(extension: Uint8Array | undefined): AlternativeNames {
  if (extension === undefined) return none;
  const names = readDerElements(readOnlyDerElement(extension, derTag.sequence).content);
  const texts = (tag: number, kind: string) =>
    names.filter((name) => name.tag === tag).map((name) => readIa5String(name, `x509: SAN ${kind} is malformed`));
  return {
    emails: texts(generalName.email, 'rfc822Name'),
    dnsNames: texts(generalName.dns, 'dNSName'),
    uris: texts(generalName.uri, 'uniformResourceIdentifier'),
    addresses: names.filter(({ tag }) => tag === generalName.address).map(({ content }) => readAddress(content)),
  };
}

function readAddress(content: Uint8Array): Uint8Array {
  if (content.length === 4 || content.length === 16) return content;
  throw new CertificateError(`x509: cannot parse IP address of length ${content.length}`);
}

/** A text of ASCII characters. Throws an Error with `message` for others. */
function readIa5String({ content }: DerElement, message: string): string {
  if (content.some((byte) => byte > 0x7f)) throw new CertificateError(message);
  return Buffer.from(content).toString('latin1');
}

const MAPPED_PREFIX = Buffer.from('00000000000000000000ffff', 'hex');

/** The 4 bytes of an IPv4 address, also of one that IPv6 maps; undefined for others. */
function ipv4Of(address: Uint8Array): Uint8Array | undefined {
  if (address.length === 4) return address;
  return MAPPED_PREFIX.equals(address.subarray(0, 12)) ? address.subarray(12) : undefined;
}

/** As Go prints an address. */
export function formatAddress(address: Uint8Array): string {
  return formatIPAddress([...(ipv4Of(address) ?? address)]);
}
