import { isLongerThan, maxLengthMessage, patternMessage } from './messages.js';

const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;

const LABEL_1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const LABEL_1123_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_1123 = `${LABEL_1123}(\\.${LABEL_1123})*`;
const SUBDOMAIN_1123_UNDERSCORE = `${LABEL_1123_UNDERSCORE}(\\.${LABEL_1123_UNDERSCORE})*`;
const WILDCARD_1123 = `\\*\\.${SUBDOMAIN_1123}`;

/** A kind of DNS name: its maximum length, its pattern without anchors, and the message for a mismatch. */
interface NameRule {
  readonly maxLength: number;
  readonly pattern: RegExp;
  readonly fault: string;
}

function nameRule(maxLength: number, pattern: string, message: string, ...examples: readonly string[]): NameRule {
  return { maxLength, pattern: new RegExp(`^${pattern}$`), fault: patternMessage(message, pattern, ...examples) };
}

const DNS_1123_LABEL = nameRule(
  LABEL_MAX,
  LABEL_1123,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
    'and must start and end with an alphanumeric character',
  ...['my-name', '123-abc'],
);

const DNS_1123_SUBDOMAIN = nameRule(
  SUBDOMAIN_MAX,
  SUBDOMAIN_1123,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
    'and must start and end with an alphanumeric character',
  'example.com',
);

const DNS_1123_SUBDOMAIN_CASELESS: NameRule = {
  maxLength: SUBDOMAIN_MAX,
  // Go folds case as Unicode does.
  pattern: new RegExp(`^${SUBDOMAIN_1123}$`, 'iu'),
  fault: patternMessage(
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', " +
      'and must start and end with an alphanumeric character',
    SUBDOMAIN_1123,
    'Example.com',
  ),
};

const DNS_1123_SUBDOMAIN_UNDERSCORE = nameRule(
  SUBDOMAIN_MAX,
  SUBDOMAIN_1123_UNDERSCORE,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', " +
    'and must start and end with an alphanumeric character',
  'example.com',
);

const DNS_1035_LABEL = nameRule(
  LABEL_MAX,
  LABEL_1035,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    'start with an alphabetic character, and end with an alphanumeric character',
  ...['my-name', 'abc-123'],
);

const WILDCARD_1123_SUBDOMAIN = nameRule(
  SUBDOMAIN_MAX,
  WILDCARD_1123,
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of " +
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  '*.example.com',
);

function faultsOf(value: string, rule: NameRule, unit: 'bytes' | 'characters' = 'characters'): string[] {
  const faults: string[] = [];
  if (isLongerThan(value, rule.maxLength)) faults.push(maxLengthMessage(rule.maxLength, unit));
  if (!rule.pattern.test(value)) faults.push(rule.fault);
  return faults;
}

/** Errors of a DNS label (RFC 1123, at most 63 bytes). Empty if it is valid. */
export function isDNS1123Label(value: string): string[] {
  return dns1123LabelFaults(value, 'characters');
}

/** As isDNS1123Label, with the unit for the message about the length. */
export function dns1123LabelFaults(value: string, unit: 'bytes' | 'characters'): string[] {
  const faults = faultsOf(value, DNS_1123_LABEL, unit);
  const onlyDots = faults.at(-1) === DNS_1123_LABEL.fault && DNS_1123_SUBDOMAIN.pattern.test(value);
  return onlyDots ? [...faults.slice(0, -1), 'must not contain dots'] : faults;
}

/** Errors of a DNS subdomain (RFC 1123, at most 253 bytes). Empty if it is valid. */
export function isDNS1123Subdomain(value: string): string[] {
  return faultsOf(value, DNS_1123_SUBDOMAIN);
}

/** As isDNS1123Subdomain, with the unit for the message about the length. */
export function dns1123SubdomainFaults(value: string, unit: 'bytes' | 'characters'): string[] {
  return faultsOf(value, DNS_1123_SUBDOMAIN, unit);
}

/** As isDNS1123Subdomain, but letters may be capitals. Upstream: k8s.io/apimachinery/pkg/api/validate/content/dns.go */
export function isDNS1123SubdomainCaseless(value: string): string[] {
  return faultsOf(value, DNS_1123_SUBDOMAIN_CASELESS, 'bytes');
}

/** As isDNS1123Subdomain, but underscores are allowed. */
export function isDNS1123SubdomainWithUnderscore(value: string): string[] {
  return faultsOf(value, DNS_1123_SUBDOMAIN_UNDERSCORE);
}

/** Errors of a DNS label that starts with a letter (RFC 1035, at most 63 bytes). Empty if it is valid. */
export function isDNS1035Label(value: string): string[] {
  return faultsOf(value, DNS_1035_LABEL);
}

/** Errors of a name such as `*.example.com` (RFC 1034). Empty if it is valid. */
export function isWildcardDNS1123Subdomain(value: string): string[] {
  return faultsOf(value, WILDCARD_1123_SUBDOMAIN);
}
