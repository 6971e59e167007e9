import { isIP } from 'node:net';
import { quote } from '../../text/index.js';
import { type DerElement, derTag, readDerElements, readOnlyDerElement } from '../der-reader.js';
import { type AddressRange, isMask } from './address-range.js';
import { generalName, readIa5String } from './alternative-names.js';
import { CertificateError } from './certificate-error.js';
import { isDomainName, parseMailbox } from './domain-name.js';

/** Names that an authority may, or may not, sign. */
interface Subtrees {
  readonly dnsNames: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  readonly addresses: readonly AddressRange[];
}

/** The extension nameConstraints. */
export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
  /** True if it constrains other kinds of names. */
  readonly hasOthers: boolean;
}

const KINDS: ReadonlySet<number> = new Set<number>(Object.values(generalName));
const malformed = () => new CertificateError('x509: invalid NameConstraints extension');

/** Throws a CertificateError for a malformed extension. Upstream: parseNameConstraintsExtension of crypto/x509 */
export function readNameConstraints(extension: Uint8Array): NameConstraints {
  const parts = readDerElements(readOnlyDerElement(extension, derTag.sequence).content);
  const [permitted, excluded] = [0xa0, 0xa1].map((tag) => parts.find((part) => part.tag === tag)?.content);
  const isOrdered = parts.every(({ tag }, index) => tag === 0xa1 || (tag === 0xa0 && index === 0));
  if (!isOrdered || parts.length > (permitted ? 1 : 0) + (excluded ? 1 : 0)) throw malformed();
  const [allowed, forbidden] = [permitted, excluded].map((content) => basesIn(content ?? new Uint8Array()));
  if (allowed === undefined || forbidden === undefined || allowed.length + forbidden.length === 0) {
    throw new CertificateError('x509: empty name constraints extension');
  }
  return {
    permitted: subtreesOf(allowed),
    excluded: subtreesOf(forbidden),
    hasOthers: [...allowed, ...forbidden].some(({ tag }) => !KINDS.has(tag)),
  };
}

/** The names at the roots of subtrees. Minimum and maximum are ignored. */
function basesIn(content: Uint8Array): readonly DerElement[] {
  return readDerElements(content).map(({ tag, content }) => {
    const [base] = tag === derTag.sequence ? readDerElements(content) : [];
    if (base === undefined) throw malformed();
    return base;
  });
}

function subtreesOf(bases: readonly DerElement[]): Subtrees {
  const of = <T>(tag: number, read: (base: DerElement) => T): readonly T[] =>
    bases.filter((base) => base.tag === tag).map(read);
  return {
    dnsNames: of(generalName.dns, (base) => checked(base, 'dnsName', isDomain)),
    addresses: of(generalName.address, ({ content }) => readRange(content)),
    emails: of(generalName.email, (base) => checked(base, 'rfc822Name', isMailboxOrDomain)),
    uris: of(generalName.uri, readUri),
  };
}

function isDomain(text: string): boolean {
  return isDomainName(text, { isConstraint: true });
}

function isMailboxOrDomain(text: string): boolean {
  return text.includes('@') ? parseMailbox(text) !== undefined : isDomain(text);
}

function readUri(base: DerElement): string {
  const domain = checked(base, 'URI', () => true);
  if (isIP(domain) !== 0 && !domain.includes('%')) {
    throw new CertificateError(`x509: failed to parse URI constraint ${quote(domain)}: cannot be IP address`);
  }
  return checked(base, 'URI', isDomain);
}

function checked(base: DerElement, kind: string, isValid: (text: string) => boolean): string {
  const text = readIa5String(
    base,
    (other) => `x509: invalid constraint value: x509: ${quote(other)} cannot be encoded as an IA5String`,
  );
  if (isValid(text)) return text;
  throw new CertificateError(`x509: failed to parse ${kind} constraint ${quote(text)}`);
}

function readRange(content: Uint8Array): AddressRange {
  const { length } = content;
  if (length !== 8 && length !== 32) {
    throw new CertificateError(`x509: IP constraint contained value of length ${length}`);
  }
  const [address, mask] = [content.subarray(0, length / 2), content.subarray(length / 2)];
  if (isMask(mask)) return { address, mask };
  throw new CertificateError(`x509: IP constraint contained invalid mask ${Buffer.from(mask).toString('hex')}`);
}
