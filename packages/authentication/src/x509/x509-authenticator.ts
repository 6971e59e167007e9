import { createHash } from 'node:crypto';
import { readPemBlocks } from '@apiserver/apimachinery/x509';
import type { AuthenticationResponse, Authenticator, PeerCertificates } from '@apiserver/apiserver-contracts';
import { CREDENTIAL_ID_KEY } from '../credential-id.js';
import { type ParsedCertificate, parseCertificate } from './client-certificate.js';
import { verifyChain } from './verify-chain.js';

/** What x509 authentication is made of. */
export interface X509AuthenticatorOptions {
  /** The authorities that client certificates must come from; "" for none. May change while the server runs. */
  readonly clientCAs: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told the seconds that a certificate still has, once per request. */
  readonly observeExpiration?: (remainingSeconds: number) => void;
  /** What a verified certificate proves. May throw. Default: the user that its subject names. */
  readonly identify?: (leaf: ParsedCertificate) => AuthenticationResponse | undefined;
}

/**
 * Takes the user from a verified client certificate: common name → name, organizations → groups, and the UID attribute.
 * A certificate is parsed and its chain verified once per connection and set of authorities; its validity in time is
 * looked at on every request.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/x509
 */
export function createX509Authenticator(options: X509AuthenticatorOptions): Authenticator {
  const authorities = rememberParsed(options.clientCAs);
  // The key of this authenticator's slot in a connection's memo.
  const slot = {};
  const { identify = userOf } = options;
  return {
    authenticateRequest: ({ request }) => {
      const peer = request.peerCertificates;
      if (peer === undefined || peer.chain.length === 0) return undefined;
      const roots = authorities();
      if (roots.length === 0) return undefined;
      const verdict = remembered(peer, slot, roots) ?? judge(peer, { slot, roots, now: options.now(), identify });
      options.observeExpiration?.((verdict.leafNotAfter - options.now()) / 1000);
      if (options.now() > verdict.notAfter) {
        return answerOf(judge(peer, { slot, roots, now: options.now(), identify }));
      }
      return answerOf(verdict);
    },
  };
}

function answerOf({ answer, failure }: Verdict): AuthenticationResponse | undefined {
  if (failure !== undefined) throw failure;
  return answer;
}

interface Verdict {
  readonly roots: readonly ParsedCertificate[];
  readonly answer: AuthenticationResponse | undefined;
  /** What is thrown in the place of an answer. A refusal is an answer too, and kept. */
  readonly failure: Error | undefined;
  /** Milliseconds since the epoch until which the answer may be repeated. */
  readonly notAfter: number;
  readonly leafNotAfter: number;
}

function remembered(peer: PeerCertificates, slot: object, roots: readonly ParsedCertificate[]): Verdict | undefined {
  const verdict = peer.memo.get(slot);
  return isVerdict(verdict) && verdict.roots === roots ? verdict : undefined;
}

function isVerdict(value: unknown): value is Verdict {
  return typeof value === 'object' && value !== null && 'leafNotAfter' in value;
}

interface Case {
  readonly slot: object;
  readonly roots: readonly ParsedCertificate[];
  readonly now: number;
  readonly identify: (leaf: ParsedCertificate) => AuthenticationResponse | undefined;
}

function judge(peer: PeerCertificates, { slot, roots, ...how }: Case): Verdict {
  const verdict = { roots, ...verify(peer, { roots, ...how }) };
  peer.memo.set(slot, verdict);
  return verdict;
}

function verify(peer: PeerCertificates, { roots, now, identify }: Omit<Case, 'slot'>): Omit<Verdict, 'roots'> {
  let leafNotAfter = now;
  try {
    const [leaf, ...intermediates] = peer.chain.map(parseCertificate);
    if (leaf === undefined) return { answer: undefined, failure: undefined, notAfter: now, leafNotAfter };
    leafNotAfter = leaf.notAfter;
    const { notAfter } = verifyChain(leaf, { roots, intermediates, now });
    return { answer: identify(leaf), failure: undefined, notAfter, leafNotAfter };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const failure = new Error(`verifying certificate ${describe(peer)} failed: ${message}`, { cause: error });
    // Not yet valid becomes valid: a refusal is repeated for a second, then worked out again.
    return { answer: undefined, failure, notAfter: now + 1_000, leafNotAfter };
  }
}

function userOf(leaf: ParsedCertificate): AuthenticationResponse | undefined {
  if (leaf.commonName === '') return undefined;
  const [uid, ...moreUids] = leaf.uids;
  if (moreUids.length > 0) throw new Error('expected 1 UID, but found multiple');
  if (leaf.uids.length === 1 && (uid === undefined || uid === '')) {
    throw new Error('unable to parse UID into a string');
  }
  const fingerprint = createHash('sha256').update(leaf.der).digest('hex');
  return {
    user: {
      name: leaf.commonName,
      ...(uid === undefined ? undefined : { uid }),
      groups: leaf.organizations,
      extra: { [CREDENTIAL_ID_KEY]: [`X509SHA256=${fingerprint}`] },
    },
  };
}

function describe(peer: PeerCertificates): string {
  const [leaf] = peer.chain;
  try {
    return `SN=${BigInt(`0x${parseCertificate(leaf ?? new Uint8Array()).x509.serialNumber}`)}`;
  } catch {
    return 'that cannot be read';
  }
}

/** Parses a bundle when it changes. A bundle that cannot be parsed throws at the first request that needs it. */
function rememberParsed(read: () => string): () => readonly ParsedCertificate[] {
  let bundle: string | undefined;
  let parsed: readonly ParsedCertificate[] = [];
  return () => {
    const current = read();
    if (current !== bundle) {
      parsed = parseCertificateBundle(current);
      bundle = current;
    }
    return parsed;
  };
}

/**
 * Every certificate of a PEM bundle; other blocks, and those with headers, are passed over. Throws when a certificate
 * cannot be parsed. Upstream: ParseCertsPEM of k8s.io/client-go/util/cert
 */
export function parseCertificateBundle(pem: string): ParsedCertificate[] {
  const blocks = readPemBlocks(pem);
  const plain = blocks.filter(({ type, headers }) => type === 'CERTIFICATE' && Object.keys(headers).length === 0);
  return plain.map(({ bytes }) => parseCertificate(bytes));
}
