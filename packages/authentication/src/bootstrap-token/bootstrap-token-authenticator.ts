import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { isNotFound } from '@apiserver/apimachinery/errors';
import type { AuthenticationResponse, Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { bootstrapGroups } from './bootstrap-groups.js';
import { hasExpired } from './has-expired.js';

/** The fields of a secret that may hold a bootstrap token. */
export interface BootstrapSecret {
  readonly metadata: { readonly name?: string; readonly deletionTimestamp?: string | null };
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>> | null;
}

/** Dependencies of bootstrap tokens. */
export interface BootstrapTokenOptions {
  /** Reads a secret of kube-system in its current state. Rejects with the server's Status: 404 if there is none. */
  readonly secret: (name: string) => Promise<BootstrapSecret>;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Upstream: BootstrapTokenPattern of k8s.io/cluster-bootstrap/token/api */
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const SECRET_TYPE = 'bootstrap.kubernetes.io/token';

/**
 * Knows the tokens that nodes join with: secrets named `bootstrap-token-ID` in kube-system. A token that matches a
 * secret but may not be used is unknown; the log says why.
 * Upstream: plugin/pkg/auth/authenticator/token/bootstrap
 */
export function bootstrapTokenAuthenticator(options: BootstrapTokenOptions): TokenAuthenticator {
  return {
    authenticateToken: async (token) => {
      const [, id, secret] = (token.length === 23 && TOKEN.exec(token)) || [];
      return id === undefined || secret === undefined ? undefined : authenticate(options, id, secret);
    },
  };
}

async function authenticate(
  options: BootstrapTokenOptions,
  id: string,
  shown: string,
): Promise<AuthenticationResponse | undefined> {
  const name = `bootstrap-token-${id}`;
  const secret = await secretOf(options, name);
  if (secret === undefined) return undefined;
  const fault = faultOf(secret, id, shown) ?? hasExpired(dataOf(secret, 'expiration'), options.now());
  if (fault !== undefined) return refuse(options, name, fault);
  if (dataOf(secret, 'usage-bootstrap-authentication') !== 'true') {
    return refuse(options, name, 'not marked usage-bootstrap-authentication=true.');
  }
  const groups = bootstrapGroups(dataOf(secret, 'auth-extra-groups'));
  if (typeof groups === 'string') {
    return refuse(options, name, `has invalid value for key auth-extra-groups: ${groups}.`);
  }
  return { user: { name: `system:bootstrap:${id}`, groups, extra: {} } };
}

async function secretOf({ secret, logger }: BootstrapTokenOptions, name: string): Promise<BootstrapSecret | undefined> {
  try {
    return await secret(name);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    logger.v(3)?.info(`No secret of name ${name} to match bootstrap bearer token`);
    return undefined;
  }
}

function refuse({ logger }: BootstrapTokenOptions, name: string, fault: string): undefined {
  logger.v(3)?.info(`Bootstrap secret kube-system/${name} matching bearer token ${fault}`);
  return undefined;
}

/** Unlike upstream's, the texts do not show the secret. */
function faultOf(secret: BootstrapSecret, id: string, shown: string): string | undefined {
  if (secret.metadata.deletionTimestamp) return 'is deleted and awaiting removal';
  if (secret.type !== SECRET_TYPE || !secret.data) return `has invalid type, expected ${SECRET_TYPE}.`;
  if (!isEqual(dataOf(secret, 'token-secret'), shown)) return 'has invalid value for key token-secret.';
  return dataOf(secret, 'token-id') === id ? undefined : `has invalid value for key token-id, expected ${id}.`;
}

function isEqual(kept: string, shown: string): boolean {
  const [a, b] = [Buffer.from(kept), Buffer.from(shown)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** "" for an absent key. */
function dataOf({ data }: BootstrapSecret, key: string): string {
  return Buffer.from(data?.[key] ?? '', 'base64').toString();
}
