import type { PolicyRule } from '../policy-objects.js';

/** Verbs that read, that write, and both. */
export const READ = 'get list watch';
export const WRITE = 'create update patch delete deletecollection';
export const READ_WRITE = `${READ} ${WRITE}`;
export const READ_UPDATE = `${READ} update patch`;

/** The group of pods and services. */
export const CORE = '';

/**
 * A resource rule. Words are separated by spaces; several groups are an array, because the core group is an empty
 * string. Every list is sorted, as upstream writes it.
 */
export function rule(verbs: string, apiGroups: string | readonly string[], resources: string, names = ''): PolicyRule {
  return {
    verbs: sortedWords(verbs),
    apiGroups: typeof apiGroups === 'string' ? [apiGroups] : apiGroups.toSorted(),
    resources: sortedWords(resources),
    ...(names === '' ? undefined : { resourceNames: sortedWords(names) }),
  };
}

/** A non-resource rule; its paths are separated by spaces. */
export function pathRule(verbs: string, paths: string): PolicyRule {
  return { verbs: sortedWords(verbs), nonResourceURLs: sortedWords(paths) };
}

/** Writes Events, in either group. Most components need it. */
export const WRITE_EVENTS: PolicyRule = rule('create update patch', [CORE, 'events.k8s.io'], 'events');

function sortedWords(words: string): readonly string[] {
  return words.split(' ').sort();
}
