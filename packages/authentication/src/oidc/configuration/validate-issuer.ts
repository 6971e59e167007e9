import { X509Certificate } from 'node:crypto';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import { schemeOf } from '@apiserver/apimachinery/validation';
import { urlFault } from '@apiserver/apimachinery/values';
import { certificatesIn } from '@apiserver/apimachinery/x509';
import type { IssuerConfiguration } from './authentication-configuration.js';
import type { ValidationContext } from './validation-context.js';

const MATCH_ANY = 'MatchAny';
/** A valid URL: authority, path, query, fragment. */
const PARTS =
  /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:\/\/(?<authority>[^/?#]*))?[^?#]*(?:\?(?<query>[^#]*))?(?:#(?<fragment>.*))?$/s;

/** Upstream: validateIssuer of k8s.io/apiserver/pkg/apis/apiserver/validation */
export function validateIssuer(issuer: IssuerConfiguration, path: FieldPath, context: ValidationContext): FieldError[] {
  const { url = '', discoveryURL, certificateAuthority = '', egressSelectorType = '' } = issuer;
  const at = path.child('url');
  return [
    ...(url === '' ? [fieldRequired(at, '')] : validateUrl(url, at, context.disallowedIssuers)),
    ...validateDiscoveryUrl(url, discoveryURL || '', path.child('discoveryURL')),
    ...validateAudiences(issuer, path),
    ...validateAuthority(certificateAuthority, path.child('certificateAuthority')),
    ...validateEgress(egressSelectorType, path.child('egressSelectorType'), context),
  ];
}

function validateDiscoveryUrl(url: string, discoveryURL: string, path: FieldPath): FieldError[] {
  if (discoveryURL === '') return [];
  const isSame = url !== '' && trimmed(url) === trimmed(discoveryURL);
  const same = isSame ? [fieldInvalid(path, discoveryURL, 'discoveryURL must be different from URL')] : [];
  return [...same, ...validateUrl(discoveryURL, path, [])];
}

function trimmed(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end--;
  return url.slice(0, end);
}

function validateUrl(url: string, path: FieldPath, disallowed: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (detail: string) => errors.push(fieldInvalid(path, url, detail));
  if (disallowed.includes(url)) {
    const names = [...new Set(disallowed)].sort().join(' ');
    refuse(`URL must not overlap with disallowed issuers: [${names}]`);
  }
  const fault = urlFault(url);
  if (fault !== undefined) {
    refuse(fault);
    return errors;
  }
  const { authority = '', query = '', fragment = '' } = PARTS.exec(url)?.groups ?? {};
  if (schemeOf(url) !== 'https') refuse('URL scheme must be https');
  if (authority.includes('@')) refuse('URL must not contain a username or password');
  if (query !== '') refuse('URL must not contain a query');
  if (fragment !== '') refuse('URL must not contain a fragment');
  return errors;
}

function validateAudiences(
  { audiences, audienceMatchPolicy = '' }: IssuerConfiguration,
  path: FieldPath,
): FieldError[] {
  const at = path.child('audiences');
  const names = audiences ?? [];
  if (names.length === 0) return [fieldRequired(at, `at least one ${at} is required`)];
  const seen = new Set<string>();
  const errors = names.flatMap((name, index) => {
    const faults = name === '' ? [fieldRequired(at.index(index), '')] : [];
    if (seen.has(name)) faults.push(fieldDuplicate(at.index(index), name));
    seen.add(name);
    return faults;
  });
  const policy = path.child('audienceMatchPolicy');
  const refuse = (detail: string) => errors.push(fieldInvalid(policy, printedAsJson(audienceMatchPolicy), detail));
  if (names.length > 1 && audienceMatchPolicy !== MATCH_ANY) {
    refuse('audienceMatchPolicy must be MatchAny for multiple audiences');
  }
  if (names.length === 1 && audienceMatchPolicy !== '' && audienceMatchPolicy !== MATCH_ANY) {
    refuse('audienceMatchPolicy must be empty or MatchAny for single audience');
  }
  return errors;
}

/** The bundle is not shown, for it is long. Upstream: NewPoolFromBytes of k8s.io/client-go/util/cert */
function validateAuthority(pem: string, path: FieldPath): FieldError[] {
  if (pem === '') return [];
  const fault = authorityFault(pem);
  return fault === undefined ? [] : [fieldInvalid(path, '<omitted>', fault)];
}

function authorityFault(pem: string): string | undefined {
  const certificates = certificatesIn(pem);
  if (certificates.length === 0) return 'data does not contain any valid RSA or ECDSA certificates';
  try {
    for (const der of certificates) new X509Certificate(der);
    return undefined;
  } catch {
    return 'x509: malformed certificate';
  }
}

function validateEgress(type: string, path: FieldPath, { egressSelector }: ValidationContext): FieldError[] {
  if (type === '') return [];
  const errors: FieldError[] = [];
  const refuse = (detail: string) => errors.push(fieldInvalid(path, printedAsJson(type), detail));
  if (!egressSelector) {
    refuse(
      'egress selector is not supported when StructuredAuthenticationConfigurationEgressSelector feature gate is disabled',
    );
  }
  if (type !== 'controlplane' && type !== 'cluster') refuse('egress selector must be either controlplane or cluster');
  return errors;
}
