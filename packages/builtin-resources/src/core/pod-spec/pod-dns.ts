import type { HostAlias, PodSpec } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { byteLength, isDNS1123SubdomainWithUnderscore } from '@apiserver/apimachinery/validation';
import { validateDNS1123Subdomain } from '../validation/dns-fields.js';
import { type LegacyIPRules, validateLegacyIP } from '../validation/ip-fields.js';

const MAX_NAMESERVERS = 3;
const MAX_SEARCH_PATHS = 32;
const MAX_SEARCH_LIST_BYTES = 2048;

/** Upstream: validatePodDNSConfig of pkg/apis/core/validation/validation.go */
export function validateDNSConfig(
  { dnsConfig, dnsPolicy }: PodSpec,
  rules: LegacyIPRules,
  path: FieldPath,
): FieldError[] {
  const nameservers = dnsConfig?.nameservers ?? [];
  if (dnsPolicy === 'None' && dnsConfig === undefined) {
    return [fieldRequired(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (dnsPolicy === 'None' && nameservers.length === 0) {
    const message = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    return [fieldRequired(path.child('nameservers'), message)];
  }
  return [
    ...validateNameservers(nameservers, rules, path.child('nameservers')),
    ...validateSearches(dnsConfig?.searches ?? [], path.child('searches')),
    ...(dnsConfig?.options ?? []).flatMap(({ name }, i) =>
      name ? [] : [fieldRequired(path.child('options').index(i), 'must not be empty')],
    ),
  ];
}

function validateNameservers(nameservers: readonly string[], rules: LegacyIPRules, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (nameservers.length > MAX_NAMESERVERS) {
    errors.push(fieldInvalid(path, nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`));
  }
  return [...errors, ...nameservers.flatMap((address, i) => validateLegacyIP(address, path.index(i), rules))];
}

function validateSearches(searches: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > MAX_SEARCH_PATHS) {
    errors.push(fieldInvalid(path, searches, `must not have more than ${MAX_SEARCH_PATHS} search paths`));
  }
  if (byteLength(searches.join(' ')) > MAX_SEARCH_LIST_BYTES) {
    const message = `must not have more than ${MAX_SEARCH_LIST_BYTES} characters (including spaces) in the search list`;
    errors.push(fieldInvalid(path, searches, message));
  }
  return [...errors, ...searches.flatMap((search, i) => validateSearch(search, path.index(i)))];
}

/** A single dot is an empty search list; a trailing dot marks an absolute name. */
function validateSearch(search: string, path: FieldPath): FieldError[] {
  if (search === '.') return [];
  const name = search.replace(/\.$/, '');
  return isDNS1123SubdomainWithUnderscore(name).map((fault) => fieldInvalid(path, name, fault));
}

/** Upstream: ValidateHostAliases */
export function validateHostAliases(
  aliases: readonly HostAlias[],
  rules: LegacyIPRules,
  path: FieldPath,
): FieldError[] {
  return aliases.flatMap(({ ip, hostnames = [] }, i) => [
    ...validateLegacyIP(ip, path.index(i).child('ip'), rules),
    ...hostnames.flatMap((name, j) => validateDNS1123Subdomain(name, path.index(i).child('hostnames').index(j))),
  ]);
}
