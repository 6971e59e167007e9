import { isDNS1035Label, isDNS1123Label, isDNS1123Subdomain } from './dns-name.js';

/**
 * Errors of an object's name; empty if it is valid. With `prefix` (default: false) the text is a generateName, which
 * may end in a dash because random characters follow.
 */
export type ValidateName = (name: string, prefix?: boolean) => string[];

/** The rule of most kinds: a DNS subdomain. Upstream: k8s.io/apimachinery/pkg/api/validation/generic.go */
export const nameIsDNSSubdomain: ValidateName = (name, prefix) => isDNS1123Subdomain(maskTrailingDash(name, prefix));

/** The rule of kinds whose name becomes one DNS label. */
export const nameIsDNSLabel: ValidateName = (name, prefix) => isDNS1123Label(maskTrailingDash(name, prefix));

/** The rule of Services under the old DNS. */
export const nameIsDNS1035Label: ValidateName = (name, prefix) => isDNS1035Label(maskTrailingDash(name, prefix));

/** The rule of namespaces. */
export const validateNamespaceName: ValidateName = nameIsDNSLabel;

/** The rule of service accounts. */
export const validateServiceAccountName: ValidateName = nameIsDNSSubdomain;

/**
 * The loosest rule, for names that only have to be valid path segments (roles, for example).
 *
 * Upstream: k8s.io/apimachinery/pkg/api/validate/content/path.go
 */
export const validatePathSegmentName: ValidateName = (name, prefix) => {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  if (!name.includes('/') && !name.includes('%')) return [];
  return ['/', '%'].filter((forbidden) => name.includes(forbidden)).map((found) => `may not contain '${found}'`);
};

/**
 * Replaces a trailing dash, which precedes the random characters, together with the character before it, as upstream.
 */
function maskTrailingDash(name: string, prefix = false): string {
  if (!prefix || name.length < 2 || !name.endsWith('-')) return name;
  // Upstream replaces a byte: of a longer character a wrong part stays.
  return name.charAt(name.length - 2) > '\x7f' ? name : `${name.slice(0, -2)}a`;
}
