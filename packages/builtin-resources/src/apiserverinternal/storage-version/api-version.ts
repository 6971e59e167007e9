import { isDNS1035Label, isDNS1123Subdomain, patternMessage } from '@apiserver/apimachinery/validation';

const EMPTY = 'must be non-empty';
const LABEL =
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const FORM = `an apiVersion is ${patternMessage(LABEL, '[a-z]([-a-z0-9]*[a-z0-9])?', 'my-name', 'abc-123')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`;

/**
 * Faults of a version with an optional group; empty if it is valid.
 * Upstream: isValidAPIVersion of pkg/apis/apiserverinternal/validation/validation.go
 */
export function apiVersionFaults(apiVersion: string): readonly string[] {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [FORM];
  const version = parts.at(-1) ?? '';
  const [group] = parts.length === 2 ? parts : [];
  return [
    ...(group === undefined ? [] : faultsOf(group, 'group part: ', isDNS1123Subdomain)),
    ...faultsOf(version, 'version part: ', isDNS1035Label),
  ];
}

function faultsOf(part: string, prefix: string, check: (text: string) => string[]): string[] {
  return (part === '' ? [EMPTY] : check(part)).map((fault) => `${prefix}${fault}`);
}
