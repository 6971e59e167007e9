import type { KeyObject } from 'node:crypto';

/** The curves that Go knows, by the names of OpenSSL. Others may take many times as long. */
const CURVES: ReadonlySet<string> = new Set(['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1']);
/** Bits. Upstream: maxRSAKeySize of crypto/tls */
const MAX_RSA_MODULUS = 8_192;
/** A signature is checked with as many multiplications as the exponent has bits. Upstream: crypto/rsa */
const MAX_RSA_EXPONENT = 2n ** 31n - 1n;

/** True if Go would check a signature with this key. A client chooses the keys of the certificates that it shows. */
export function isVerifiable({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = '' } = asymmetricKeyDetails;
  switch (asymmetricKeyType) {
    case 'rsa':
      return modulusLength <= MAX_RSA_MODULUS && publicExponent <= MAX_RSA_EXPONENT;
    case 'ec':
      return CURVES.has(namedCurve);
    default:
      return asymmetricKeyType === 'ed25519';
  }
}
