import { isIP } from 'node:net';
import { quote } from '../../text/index.js';
import { type AlternativeNames, formatAddress } from './alternative-names.js';
import type { ParsedCertificate } from './certificate.js';
import { CertificateError } from './certificate-error.js';
import { isDomainName, type Mailbox, parseMailbox, urlHost } from './domain-name.js';
import type { NameConstraints } from './name-constraints.js';
import { addressLookup, domainLookup, type Lookup, mailboxLookup } from './sorted-subtrees.js';

/**
 * Checks the names of all certificates against the constraints of those above them. Certificates without alternative
 * names are not checked. Throws a CertificateError.
 * Upstream: checkChainConstraints of crypto/x509
 */
export function checkNameConstraints(path: readonly ParsedCertificate[]): void {
  const read = path.map((certificate) => ({
    names: certificate.alternativeNames(),
    constraints: certificate.nameConstraints(),
  }));
  const checks = read.map(({ constraints }) => constraints && compile(constraints));
  for (const [index, { names }] of read.entries()) {
    const above = checks.slice(index + 1).filter((check) => check !== undefined);
    if (names === undefined || above.length === 0) continue;
    const parsed = parseNames(names);
    for (const check of above) check(parsed);
  }
}

/** Names in the forms that constraints are compared with. */
interface ParsedNames extends Pick<AlternativeNames, 'dnsNames' | 'addresses'> {
  readonly uris: readonly { readonly uri: string; readonly domain: string }[];
  readonly mailboxes: readonly Mailbox[];
}

function parseNames({ dnsNames, addresses, uris, emails }: AlternativeNames): ParsedNames {
  return {
    dnsNames,
    addresses,
    uris: uris.map((uri) => ({ uri, domain: domainOfUri(uri) })),
    mailboxes: emails.map((email) => {
      const mailbox = parseMailbox(email);
      if (mailbox === undefined) throw notAuthorized(`cannot parse rfc822Name ${quote(email)}`);
      return mailbox;
    }),
  };
}

/** Upstream: parseURIs of crypto/x509 */
function domainOfUri(uri: string): string {
  const host = urlHost(uri).toLowerCase();
  if (host === '') throw notAuthorized(`URI with empty host (${quote(uri)}) cannot be matched against constraints`);
  const hasPort = host.includes(':') && !host.endsWith(']');
  const [, literal, name] = /^(?:\[([^\]]*)\]|([^:]*)):[^:]*$/.exec(host) ?? [];
  const domain = hasPort ? (literal ?? name) : host;
  if (domain === undefined) {
    throw notAuthorized(`cannot parse URI host ${quote(host)}: address ${host}: too many colons in address`);
  }
  if (isIP(domain) !== 0 || (domain.startsWith('[') && domain.endsWith(']'))) {
    throw notAuthorized(`URI with IP (${quote(uri)}) cannot be matched against constraints`);
  }
  return domain;
}

/** One kind of names. */
interface Kind<V> {
  readonly word: string;
  readonly permitted: Lookup<V> | undefined;
  readonly excluded: Lookup<V> | undefined;
  /** The name for messages. */
  readonly text: (name: V) => string;
}

/** The check of the names below one certificate. */
function compile({ permitted, excluded }: NameConstraints): (names: ParsedNames) => void {
  const addresses: Kind<Uint8Array> = {
    word: 'IP address',
    permitted: addressLookup(permitted.addresses),
    excluded: addressLookup(excluded.addresses),
    text: (address) => quote(formatAddress(address)),
  };
  const domains = (word: string, kind: 'dnsNames' | 'uris'): Omit<Kind<string>, 'text'> => ({
    word,
    permitted: domainLookup(permitted[kind], true),
    excluded: domainLookup(excluded[kind], false),
  });
  const [dns, uri] = [domains('DNS name', 'dnsNames'), domains('URI', 'uris')];
  const mailboxes: Kind<Mailbox> = {
    word: 'email address',
    permitted: mailboxLookup(permitted.emails, true),
    excluded: mailboxLookup(excluded.emails, false),
    text: ({ local, domain }) => quote(`${local}@${domain}`),
  };
  return (names) => {
    for (const address of names.addresses) checkName(addresses, address);
    for (const name of names.dnsNames) {
      if (!isDomainName(name)) throw notAuthorized(`x509: cannot parse dnsName ${quote(name)}`);
      checkName({ ...dns, text: quote }, name);
    }
    for (const { uri: text, domain } of names.uris) {
      if (!isDomainName(domain)) throw notAuthorized(`x509: internal error: URI SAN ${quote(text)} failed to parse`);
      checkName({ ...uri, text: () => quote(text) }, domain);
    }
    for (const mailbox of names.mailboxes) {
      if (!isDomainName(mailbox.domain)) {
        throw notAuthorized(`x509: cannot parse rfc822Name ${mailboxes.text(mailbox)}`);
      }
      checkName(mailboxes, mailbox);
    }
  };
}

function checkName<V>({ word, permitted, excluded, text }: Kind<V>, name: V): void {
  if (permitted !== undefined && permitted(name) === undefined) {
    throw notAuthorized(`${word} ${text(name)} is not permitted by any constraint`);
  }
  const constraint = excluded?.(name);
  if (constraint === undefined) return;
  throw notAuthorized(`${word} ${text(name)} is excluded by constraint ${quote(constraint)}`);
}

function notAuthorized(detail: string): CertificateError {
  return new CertificateError(
    `x509: a root or intermediate certificate is not authorized to sign for this name: ${detail}`,
  );
}
