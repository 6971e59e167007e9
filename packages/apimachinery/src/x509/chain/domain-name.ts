import { urlFault } from '../../values/index.js';

/**
 * Reports whether a text may be a name of a domain in a certificate, or a constraint on such names. "" is one.
 * Upstream: domainNameValid of crypto/x509
 */
export function isDomainName(name: string, { isConstraint = false } = {}): boolean {
  if (name === '') return true;
  const labels = isConstraint && name.startsWith('.') ? name.slice(1) : name;
  return labels.split('.').every((label) => /^[!-~]+$/.test(label));
}

/** A mailbox; the domain in lower case. */
export interface Mailbox {
  readonly local: string;
  readonly domain: string;
}

const QUOTED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 2821 allows them.
  /^"((?:\\[\x01-\x09\x0b\x0c\x0e-\x7f]|[\x01-\x08\x0b\x0c\x0e-\x1f !#-[\]-~\x7f])*)"@([\s\S]*)$/;
const ATOMS = /^((?:\\[\s\S]|[\w!#$%&'*+\-/=?^`{|}~.])+)@([\s\S]*)$/;

/** Undefined for a text that is no mailbox. Upstream: parseRFC2821Mailbox of crypto/x509 */
export function parseMailbox(text: string): Mailbox | undefined {
  const isQuoted = text.startsWith('"');
  const match = (isQuoted ? QUOTED : ATOMS).exec(text);
  if (match === null) return undefined;
  const [, written = '', domain = ''] = match;
  const local = written.replaceAll(/\\([\s\S])/g, '$1');
  if (!isDomainName(domain) || (!isQuoted && /^\.|\.$|\.\./.test(local))) return undefined;
  return { local, domain: domain.toLowerCase() };
}

/** The host of a URL of ASCII characters, with its port; "" for a URL without one. Upstream: Host of net/url.URL */
export function urlHost(url: string): string {
  return writtenHost(url).replaceAll('%25', '%');
}

/** Escapes stay. */
function writtenHost(url: string): string {
  const authority = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\/([^/?#]*)/.exec(url)?.[1] ?? '';
  return authority.slice(authority.lastIndexOf('@') + 1);
}

/** Go's error for the URL of a certificate; undefined for a valid one. Upstream: parseSANExtension of crypto/x509 */
export function certificateUrlFault(url: string): string | undefined {
  const fault = urlFault(url);
  if (fault !== undefined) return fault;
  const host = urlHost(url);
  return isDomainName(host) && !/%[89A-Fa-f]/.test(writtenHost(url)) ? undefined : 'invalid domain';
}
