/**
 * Labels of a secret with a token of a service account. Authentication writes the day of the last use, a controller
 * the day since which the token is invalid.
 * Upstream: LastUsedLabelKey and InvalidSinceLabelKey of pkg/serviceaccount
 */
export const legacyTokenLabels = {
  lastUsed: 'kubernetes.io/legacy-token-last-used',
  invalidSince: 'kubernetes.io/legacy-token-invalid-since',
} as const;
