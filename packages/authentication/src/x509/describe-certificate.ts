import { quote } from '@apiserver/apimachinery/text';
import { type AlternativeNames, formatAddress, type ParsedCertificate } from '@apiserver/apimachinery/x509';
import { goTime } from '../oidc/claims/go-time.js';

/** Go's extended key usages; their places are its numbers. Upstream: ExtKeyUsage of crypto/x509 */
const USAGES = [
  '2.5.29.37.0',
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((purpose) => `1.3.6.1.5.5.7.3.${purpose}`),
  '1.3.6.1.4.1.311.10.3.3',
  '2.16.840.1.113730.4.1',
  '1.3.6.1.4.1.311.2.1.22',
  '1.3.6.1.4.1.311.61.1.1',
];
/** By Go's number. */
const USAGE_WORDS: Readonly<Record<number, string>> = { 1: 'serving', 2: 'client' };

/**
 * A certificate in one line, for the log. `now` is in milliseconds since the epoch.
 * Upstream: GetHumanCertDetail of k8s.io/apiserver/pkg/server/dynamiccertificates
 */
export function describeCertificate(certificate: ParsedCertificate, now: number): string {
  const { commonName, issuerCommonName, organizations, extendedKeyUsage = [] } = certificate;
  const { dnsNames = [], addresses = [] } = namesOf(certificate) ?? {};
  const numbers = extendedKeyUsage.map((usage) => USAGES.indexOf(usage)).filter((number) => number >= 0);
  const usages = numbers.map((number) => USAGE_WORDS[number] ?? String(number));
  const names = [...addresses.map(formatAddress), ...dnsNames];
  const parts = [
    quote(commonName),
    ` [${usages.join(',')}]`,
    listed('groups', organizations),
    listed('validServingFor', names),
    ` issuer=${quote(issuerCommonName === commonName ? '<self>' : issuerCommonName)}`,
    ` (${goTime(certificate.notBefore)} to ${goTime(certificate.notAfter)} (now=${goTime(now)}))`,
  ];
  return parts.join('');
}

/** None where they cannot be used: a line of the log must not stop a server. */
function namesOf(certificate: ParsedCertificate): AlternativeNames | undefined {
  try {
    return certificate.alternativeNames();
  } catch {
    return undefined;
  }
}

function listed(name: string, values: readonly string[]): string {
  return values.length === 0 ? '' : ` ${name}=[${values.join(',')}]`;
}
