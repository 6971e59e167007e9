import { createHash } from 'node:crypto';
import { atOnce, inSlices, sliceTurn } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import {
  CertificateError,
  CertificatePool,
  checkShownKey,
  type ParsedCertificate,
  parseCertificate,
  parseCertificateBundle,
  verifyChainSteps,
} from '@apiserver/apimachinery/x509';
import type { AuthenticationResponse, Authenticator, PeerCertificates } from '@apiserver/apiserver-contracts';
import { CREDENTIAL_ID_KEY } from '../credential-id.js';

/** Options of `createX509Authenticator`. */
export interface X509AuthenticatorOptions {
  /** PEM of the trusted CAs of client certificates; "" for none. May change while the server runs. */
  readonly clientCAs: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives the certificate's remaining lifetime once per request. */
  readonly observeExpiration?: (remainingSeconds: number) => void;
  /** Maps a verified certificate to a user. May throw. Default: the user in its subject. */
  readonly identify?: (leaf: ParsedCertificate) => AuthenticationResponse | undefined;
  /** False: UIDs in subjects are ignored. Default: true. Upstream feature gate: AllowParsingUserUIDFromCertAuth */
  readonly readsUid?: boolean;
  /** Reads a bundle of CAs. Default: `parseCertificateBundle`. */
  readonly parseBundle?: ((pem: string) => readonly ParsedCertificate[]) | undefined;
}

/**
 * Takes the user from a verified client certificate: common name → name, organizations → groups, and the UID
 * attribute. A chain is parsed and verified once per connection and set of CAs, a long one in turns of the event loop.
 * Its expiry is checked on every request.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/x509
 */
export function createX509Authenticator(options: X509AuthenticatorOptions): Authenticator {
  const authorities = rememberParsed(options.clientCAs, options.parseBundle ?? parseCertificateBundle);
  // Key of this authenticator's entry in a connection's memo.
  const slot = {};
  const { readsUid = true, identify = readsUid ? userOf : withoutUid } = options;
  const judged = (peer: PeerCertificates): Verdict | Promise<Verdict> | undefined => {
    const roots = authorities();
    if (roots === undefined) return undefined;
    const now = options.now();
    const known = remembered(peer, slot, roots);
    const isOutdated = known !== undefined && 'notAfter' in known && (now > known.notAfter || now < known.judgedAt);
    if (known === undefined || isOutdated) return judge(peer, { slot, roots, now, identify });
    return 'notAfter' in known ? known : known.verdict;
  };
  const taken = (verdict: Verdict) => {
    options.observeExpiration?.((verdict.leafNotAfter - options.now()) / 1000);
    return responseOf(verdict);
  };
  return {
    authenticateRequest: ({ request }) => {
      const peer = request.peerCertificates;
      if (peer === undefined || peer.chain.length === 0) return undefined;
      const verdict = judged(peer);
      if (verdict === undefined) return undefined;
      return verdict instanceof Promise ? verdict.then(taken) : taken(verdict);
    },
  };
}

function responseOf({ response, failure }: Verdict): AuthenticationResponse | undefined {
  if (failure !== undefined) throw failure;
  return response;
}

interface Verdict {
  readonly roots: CertificatePool;
  readonly response: AuthenticationResponse | undefined;
  /** The error to throw instead of a response. Failures are cached too. */
  readonly failure: Error | undefined;
  /** The cached verdict is valid from `judgedAt` to `notAfter`, in milliseconds since 1970: clocks are set back. */
  readonly judgedAt: number;
  readonly notAfter: number;
  readonly leafNotAfter: number;
}

/** A verdict that other requests of the connection wait for. */
interface Judging {
  readonly roots: CertificatePool;
  readonly verdict: Promise<Verdict>;
}

function remembered(peer: PeerCertificates, slot: object, roots: CertificatePool): Verdict | Judging | undefined {
  const verdict = peer.memo.get(slot);
  return isVerdict(verdict) && verdict.roots === roots ? verdict : undefined;
}

function isVerdict(value: unknown): value is Verdict | Judging {
  return typeof value === 'object' && value !== null && 'roots' in value;
}

interface Case {
  readonly slot: object;
  readonly roots: CertificatePool;
  readonly now: number;
  readonly identify: (leaf: ParsedCertificate) => AuthenticationResponse | undefined;
}

/** Chains of more certificates take turns. A client may show a hundred, each of which takes milliseconds. */
const MAX_AT_ONCE = 3;

function judge(peer: PeerCertificates, { slot, roots, ...how }: Case): Verdict | Promise<Verdict> {
  const steps = verifySteps(peer, { roots, ...how });
  const judged = peer.chain.length > MAX_AT_ONCE ? sliceTurn().then(() => inSlices(steps)) : atOnce(steps);
  const settle = (result: Omit<Verdict, 'roots' | 'judgedAt'>) => {
    const verdict = { roots, judgedAt: how.now, ...result };
    peer.memo.set(slot, verdict);
    return verdict;
  };
  if (!(judged instanceof Promise)) return settle(judged);
  const verdict = judged.then(settle);
  peer.memo.set(slot, { roots, verdict } satisfies Judging);
  return verdict;
}

function* verifySteps(
  peer: PeerCertificates,
  { roots, now, identify }: Omit<Case, 'slot'>,
): Generator<void, Omit<Verdict, 'roots' | 'judgedAt'>> {
  let leafNotAfter = now;
  try {
    const parsed: ParsedCertificate[] = [];
    for (const der of peer.chain) {
      const certificate = parseCertificate(der);
      checkShownKey(certificate, 'client');
      parsed.push(certificate);
      yield;
    }
    const [leaf, ...intermediates] = parsed;
    if (leaf === undefined) return { response: undefined, failure: undefined, notAfter: now, leafNotAfter };
    leafNotAfter = leaf.notAfter;
    const chain = { roots, intermediates: new CertificatePool(intermediates), now, usage: 'clientAuth' } as const;
    const { notAfter } = yield* verifyChainSteps(leaf, chain);
    return { response: identify(leaf), failure: undefined, notAfter, leafNotAfter };
  } catch (error) {
    const message = messageOf(error);
    const failure = new CertificateError(`verifying certificate ${describe(peer)} failed: ${message}`, {
      cause: error,
    });
    // A certificate that is not yet valid becomes valid later, so a failure is cached for one second only.
    return { response: undefined, failure, notAfter: now + 1_000, leafNotAfter };
  }
}

function withoutUid(leaf: ParsedCertificate): AuthenticationResponse | undefined {
  return userOf({ ...leaf, uids: [] });
}

function userOf(leaf: ParsedCertificate): AuthenticationResponse | undefined {
  if (leaf.commonName === '') return undefined;
  const [uid, ...moreUids] = leaf.uids;
  if (moreUids.length > 0) throw new CertificateError('expected 1 UID, but found multiple');
  if (leaf.uids.length === 1 && (uid === undefined || uid === '')) {
    throw new CertificateError('unable to parse UID into a string');
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

/** Parses a bundle when it changes; undefined if it is empty. The first request that needs an invalid one fails. */
function rememberParsed(
  read: () => string,
  parse: (pem: string) => readonly ParsedCertificate[],
): () => CertificatePool | undefined {
  let bundle: string | undefined;
  let parsed: CertificatePool | undefined;
  return () => {
    const current = read();
    if (current !== bundle) {
      const certificates = parse(current);
      parsed = certificates.length === 0 ? undefined : new CertificatePool(certificates);
      bundle = current;
    }
    return parsed;
  };
}
