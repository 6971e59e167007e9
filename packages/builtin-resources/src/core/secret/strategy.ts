import type { Secret } from '@apiserver/api/core/v1';
import { keyPairFault } from '@apiserver/apimachinery/x509';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateSecret, validateSecretUpdate } from './validation.js';

/** Upstream: pkg/registry/core/secret/strategy.go */
export const secretStrategy: Strategy<Secret> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: (_context, secret) => validateSecret(secret),
  warningsOnCreate: (_context, secret) => keyPairWarnings(secret),
  prepareForUpdate(_context, secret, old) {
    // An update without a type keeps the stored one.
    if (!secret.type && old.type !== undefined) secret.type = old.type;
  },
  validateUpdate: (_context, secret, old) => validateSecretUpdate(secret, old),
  warningsOnUpdate: (_context, secret) => keyPairWarnings(secret),
};

function keyPairWarnings({ type, data = {} }: Secret): string[] {
  if (type !== 'kubernetes.io/tls') return [];
  const pem = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
  const fault = keyPairFault(pem('tls.crt'), pem('tls.key'));
  return fault === undefined ? [] : [fault];
}
