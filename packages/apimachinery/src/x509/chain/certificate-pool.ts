import { Buffer } from 'node:buffer';
import { type ParsedCertificate, parseCertificate, subjectIn, subjectKeyIdIn } from './certificate.js';

/** A certificate whose parts are read when they are first looked at. */
interface PoolEntry {
  readonly der: Uint8Array;
  /** `null`: it cannot be parsed. */
  parsed: ParsedCertificate | null | undefined;
  subjectKeyId: Uint8Array | undefined;
}

/**
 * Certificates that may sign others. Those given as DER are parsed when they are needed, and skipped if that fails.
 * Upstream: CertPool of crypto/x509
 */
export class CertificatePool {
  readonly #bySubject = new Map<string, PoolEntry[]>();
  readonly #known = new Set<string>();

  constructor(certificates: Iterable<ParsedCertificate | Uint8Array>) {
    for (const certificate of certificates) this.#add(certificate);
  }

  /** Reports whether the same certificate is in the pool. */
  has({ der }: ParsedCertificate): boolean {
    return this.#known.has(byteText(der));
  }

  /**
   * The certificates whose subject is the issuer of another. The most likely ones come first: those with the key that
   * it names, and those with another key last.
   */
  *issuersOf({ issuer, authorityKeyId }: ParsedCertificate): Generator<ParsedCertificate> {
    const ranks: readonly PoolEntry[][] = [[], [], []];
    for (const entry of this.#bySubject.get(byteText(issuer)) ?? []) {
      entry.subjectKeyId ??= tried(() => subjectKeyIdIn(entry.der)) ?? new Uint8Array();
      ranks[keyRank(entry.subjectKeyId, authorityKeyId)]?.push(entry);
    }
    for (const entry of ranks.flat()) {
      if (entry.parsed === undefined) entry.parsed = tried(() => parseCertificate(entry.der)) ?? null;
      if (entry.parsed !== null) yield entry.parsed;
    }
  }

  #add(certificate: ParsedCertificate | Uint8Array): void {
    const isParsed = 'der' in certificate;
    const der = isParsed ? certificate.der : certificate;
    const subject = isParsed ? certificate.subject : tried(() => subjectIn(der));
    const bytes = byteText(der);
    if (subject === undefined || this.#known.has(bytes)) return;
    this.#known.add(bytes);
    const entry = { der, parsed: isParsed ? certificate : undefined, subjectKeyId: undefined };
    const key = byteText(subject);
    const namesakes = this.#bySubject.get(key);
    if (namesakes === undefined) this.#bySubject.set(key, [entry]);
    else namesakes.push(entry);
  }
}

/** A text with a character for each byte. */
function byteText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** 0 if the keys agree, 1 if only one of them is named, 2 if they differ. */
function keyRank(subjectKeyId: Uint8Array, authorityKeyId: Uint8Array): 0 | 1 | 2 {
  if (Buffer.compare(subjectKeyId, authorityKeyId) === 0) return 0;
  return subjectKeyId.length === 0 || authorityKeyId.length === 0 ? 1 : 2;
}

function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
