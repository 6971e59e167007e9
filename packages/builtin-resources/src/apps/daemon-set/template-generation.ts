import type { DaemonSet } from '@apiserver/api/apps/v1';
import { newBadRequest } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import { parseInt64 } from '../../text/int64.js';

/**
 * Counts changes of the template, like the former field. Upstream: DeprecatedTemplateGeneration of k8s.io/api/apps/v1
 */
const ANNOTATION = 'deprecated.daemonset.template.generation';

/** The generation of a DaemonSet's template; zero if it states none. */
export function templateGeneration({ metadata }: DaemonSet): bigint {
  const generation = parseInt64(metadata.annotations?.[ANNOTATION] ?? '');
  return typeof generation === 'bigint' ? generation : 0n;
}

/** Mutates. */
export function setTemplateGeneration({ metadata }: DaemonSet, generation: bigint): void {
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: String(generation) };
}

/**
 * States the generation as upstream's conversion does: as a plain integer, zero where none is stated. So the field
 * manager sees it. Mutates; throws a 400 for a generation that is no integer.
 * Upstream: Convert_v1_DaemonSet_To_apps_DaemonSet of pkg/apis/apps/v1/conversion.go, and its inverse
 */
export function normalizeTemplateGeneration(set: DaemonSet): void {
  const stated = set.metadata.annotations?.[ANNOTATION] ?? '0';
  const generation = parseInt64(stated);
  if (typeof generation !== 'bigint') {
    const fault = `strconv.ParseInt: parsing ${quote(stated)}: ${generation}`;
    throw newBadRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${fault}`);
  }
  setTemplateGeneration(set, generation);
}
