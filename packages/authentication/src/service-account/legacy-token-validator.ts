import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { messageOf } from '@apiserver/apimachinery/errors';
import { type ServiceAccountInfo, serviceAccountUsername } from './service-account-user.js';
import type { TokenClaims } from './token-claims.js';
import type { TokenSecret, TokenServiceAccount } from './token-objects.js';
import type { TokenValidator, ValidatorOptions, VerifiedToken } from './token-validator.js';

/** The issuer of tokens in secrets. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount';

/** The label that a cleaner puts on a secret whose token was not used for long. */
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
/** The label with the day of a token's last use. */
const LAST_USED = 'kubernetes.io/legacy-token-last-used';

/** Additional dependencies of the validator for tokens in secrets. */
export interface LegacyValidatorOptions extends ValidatorOptions {
  /** True if the secret and the account must still exist. Upstream flag: --service-account-lookup */
  readonly lookup: boolean;
  /** Labels a secret. A failure is logged and otherwise ignored. */
  labelSecret(namespace: string, name: string, label: readonly [key: string, value: string]): Promise<void>;
}

/**
 * Validates a token in a secret. Such a token has no expiry: it is valid as long as its secret exists.
 * Upstream: legacyValidator in pkg/serviceaccount/legacy.go
 */
export function legacyTokenValidator(options: LegacyValidatorOptions): TokenValidator {
  return {
    async validate(token) {
      const named = namedBy(token.claims);
      if (options.lookup) await look(options, token, named);
      const { namespace, name, uid } = named;
      return { namespace, name, uid };
    },
  };
}

interface NamedBySecretToken extends ServiceAccountInfo {
  readonly secretName: string;
}

function namedBy(claims: TokenClaims): NamedBySecretToken {
  const required = (value: string | undefined, what: string): string => {
    if (value === undefined || value === '') throw new Error(`${what} claim is missing`);
    return value;
  };
  const subject = required(claims.sub, 'sub');
  const namespace = required(claims['kubernetes.io/serviceaccount/namespace'], 'namespace');
  const secretName = required(claims['kubernetes.io/serviceaccount/secret.name'], 'secretName');
  const name = required(claims['kubernetes.io/serviceaccount/service-account.name'], 'serviceAccountName');
  const uid = required(claims['kubernetes.io/serviceaccount/service-account.uid'], 'serviceAccountUID');
  if (subject !== serviceAccountUsername(namespace, name)) throw new Error('sub claim is invalid');
  return { namespace, secretName, name, uid };
}

async function look(options: LegacyValidatorOptions, token: VerifiedToken, named: NamedBySecretToken): Promise<void> {
  const secret = await readSecret(options, token, named);
  const account = await readAccount(options, named);
  const { namespace, name, secretName } = named;
  if (secret.metadata.labels?.[INVALID_SINCE]) {
    options.observe?.('legacy-auto-invalidated');
    await noteUse(options, secret, named);
    throw new Error(
      `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`,
    );
  }
  const isGenerated = (account.secrets ?? []).some((reference) => reference.name === secretName);
  if (isGenerated) {
    token.warnings?.warn(
      'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
    );
  }
  options.observe?.(isGenerated ? 'legacy-auto' : 'legacy-manual');
  await noteUse(options, secret, named);
}

async function readSecret(
  { objects, logger }: LegacyValidatorOptions,
  { token }: VerifiedToken,
  { namespace, secretName, name }: NamedBySecretToken,
): Promise<TokenSecret> {
  const secret = await objects.secret(namespace, secretName).catch((error: unknown) => {
    const reason = messageOf(error);
    logger.v(4)?.info('Could not retrieve token for service account', { namespace, secretName, name, reason });
    throw new Error('Token has been invalidated');
  });
  if (secret.metadata.deletionTimestamp) throw new Error('Token has been invalidated');
  const kept = Buffer.from(secret.data?.['token'] ?? '', 'base64');
  const shown = Buffer.from(token);
  if (kept.length !== shown.length || !timingSafeEqual(kept, shown)) {
    throw new Error("Token does not match server's copy");
  }
  return secret;
}

async function readAccount(
  { objects, logger }: LegacyValidatorOptions,
  { namespace, name, uid }: NamedBySecretToken,
): Promise<TokenServiceAccount> {
  const account = await objects.serviceAccount(namespace, name).catch((error: unknown) => {
    logger.v(4)?.info('Could not retrieve service account', { namespace, name, reason: messageOf(error) });
    throw error;
  });
  const { metadata } = account;
  if (metadata.deletionTimestamp) throw new Error(`ServiceAccount ${namespace}/${name} has been deleted`);
  if ((metadata.uid ?? '') !== uid) {
    throw new Error(`ServiceAccount UID (${metadata.uid ?? ''}) does not match claim (${uid})`);
  }
  return account;
}

/** Labels at most once a day. Tomorrow's label counts too, for the clock of another server may be ahead. */
async function noteUse(
  { labelSecret, logger, now }: LegacyValidatorOptions,
  { metadata }: TokenSecret,
  { namespace, secretName }: NamedBySecretToken,
): Promise<void> {
  const today = dayOf(now());
  const lastUsed = metadata.labels?.[LAST_USED];
  if (lastUsed === today || lastUsed === dayOf(now() + 24 * 60 * 60 * 1000)) return;
  try {
    await labelSecret(namespace, secretName, [LAST_USED, today]);
  } catch (error) {
    logger.error(error, 'Failed to label legacy service account token with last-used date', { namespace, secretName });
  }
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
