import type { DaemonSet } from '@apiserver/api/apps/v1';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';

/** Counts changes of the template, like the former field. Upstream: DeprecatedTemplateGeneration of k8s.io/api/apps/v1 */
const ANNOTATION = 'deprecated.daemonset.template.generation';

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** The generation of a DaemonSet's template; zero if it states none. */
export function templateGeneration({ metadata }: DaemonSet): bigint {
  const stated = metadata.annotations?.[ANNOTATION] ?? '';
  const parsed = parseGeneration(stated);
  return typeof parsed === 'bigint' ? parsed : 0n;
}

/** Mutates. */
export function setTemplateGeneration({ metadata }: DaemonSet, generation: bigint): void {
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: String(generation) };
}

/**
 * Throws a 400 for a generation that is no integer.
 * Upstream: Convert_v1_DaemonSet_To_apps_DaemonSet of pkg/apis/apps/v1/conversion.go
 */
export function checkTemplateGeneration({ metadata }: DaemonSet): void {
  const stated = metadata.annotations?.[ANNOTATION];
  const fault = stated === undefined ? undefined : parseGeneration(stated);
  if (typeof fault !== 'string') return;
  throw newBadRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${fault}`);
}

/** The number, or the fault. Upstream: strconv.ParseInt */
function parseGeneration(text: string): bigint | string {
  const [, sign = '', digits] = /^([+-]?)0*([0-9]+)$/.exec(text) ?? [];
  if (digits === undefined) return parseFault(text, 'invalid syntax');
  const number = digits.length > 19 ? MAX_INT64 + 2n : BigInt(digits);
  const value = sign === '-' ? -number : number;
  return value > MAX_INT64 || value < MIN_INT64 ? parseFault(text, 'value out of range') : value;
}

function parseFault(text: string, why: string): string {
  return `strconv.ParseInt: parsing ${quote(text)}: ${why}`;
}
