import type { ObjectMeta } from '@apiserver/apimachinery';
import { isDNS1123Label } from '@apiserver/apimachinery/validation';

/** Warnings about names from which pod names are generated. */
export function podNameWarnings({ name = '' }: ObjectMeta): readonly string[] {
  const faults = isDNS1123Label(name);
  if (faults.length === 0) return [];
  const consequence = 'this is used in Pod names and hostnames, which can result in surprising behavior';
  return [`metadata.name: ${consequence}; a DNS label is recommended: [${faults.join(' ')}]`];
}
