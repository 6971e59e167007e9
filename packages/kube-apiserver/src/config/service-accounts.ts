import { type KeyObject, randomUUID } from 'node:crypto';
import type { Pod, Secret, ServiceAccount } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { LoopbackClient, ResourceClient } from '@apiserver/apiserver-contracts';
import {
  createSecretTokenSigner,
  createTokenGenerator,
  createTokenMetrics,
  type KeySource,
  parseSigningKey,
  parseVerificationKeys,
  type SecretTokenSigner,
  type ServiceAccountAuthentication,
  signWithKey,
  staticKeys,
  type TokenGenerator,
  type TokenObjectGetter,
  type TokenSigner,
  type VerificationKey,
} from '@apiserver/authentication';
import type { ServiceAccountKeyFiles } from '@apiserver/bootstrap-pki';
import type { BoundObjectGetter } from '@apiserver/builtin-resources';
import { orStartupError, readRequiredFile } from '@apiserver/component-base/process';
import type { ServerContext } from '@apiserver/generic-server';
import type { CompletedOptions } from '../options/complete-options.js';
import { KnownTexts } from './known-texts.js';

/** A year, in milliseconds. Upstream: ExpirationExtensionSeconds of pkg/serviceaccount */
const YEAR_MS = 24 * 365 * 60 * 60 * 1000;
/** Upstream: staticPublicKeysGetter of pkg/serviceaccount */
const STATIC_MAX_AGE_SECONDS = 3600;

/** Keys by which others verify the tokens of a server. */
interface PublishedKeys {
  /** Another list after each change. */
  all(): readonly VerificationKey[];
  /** Seconds for which they may be cached. */
  maxAgeSeconds(): number;
}

/** Signer and keys of tokens. */
interface TokenKeys {
  readonly sign: TokenSigner;
  readonly source: KeySource;
  readonly published: PublishedKeys;
  /** Maximum lifetimes in milliseconds. */
  readonly maxExpiration: number;
  readonly maxExtended: number;
}

/** Keys for the tokens of a server. */
export interface ServiceAccountConfig {
  readonly issuer: string;
  readonly generator: TokenGenerator;
  /** Undefined if an external signer has the key. */
  readonly signSecretToken: SecretTokenSigner | undefined;
  readonly published: PublishedKeys;
  readonly authentication: ServiceAccountAuthentication;
  readonly objects: BoundObjectGetter;
  /** Reads a secret of kube-system. */
  readonly bootstrapSecret: (name: string) => Promise<Secret>;
  readonly jwksUri: string;
  readonly maxExpirationSeconds: number;
  readonly extendExpiration: boolean;
  /** Of tokens that kubelets request, if they are extended. */
  readonly maxExtendedSeconds: number;
}

/** Dependencies of the config. */
export interface ServiceAccountDependencies extends ServerContext {
  /** Default: each text is read again. */
  readonly parser?: TokenKeyParser | undefined;
}

/** Reads the keys of tokens from PEM text, as `parseSigningKey` and `parseVerificationKeys`. */
export interface TokenKeyParser {
  signingKey(pem: string): KeyObject;
  /** As `signWithKey`. */
  signer(key: KeyObject): TokenSigner;
  verificationKeys(pem: string): readonly VerificationKey[];
}

const tokenKeyParser: TokenKeyParser = {
  signingKey: parseSigningKey,
  signer: signWithKey,
  verificationKeys: parseVerificationKeys,
};

/** Reads the keys of the newest texts once. */
export class KnownTokenKeys implements TokenKeyParser {
  readonly #signing = new KnownTexts<KeyObject>();
  readonly #verification = new KnownTexts<readonly VerificationKey[]>();
  /** Signers have no state, and refer to nothing but their key. */
  readonly #signers = new WeakMap<KeyObject, TokenSigner>();

  signingKey(pem: string): KeyObject {
    return this.#signing.of(pem, parseSigningKey);
  }

  signer(key: KeyObject): TokenSigner {
    const signer = this.#signers.get(key) ?? signWithKey(key);
    this.#signers.set(key, signer);
    return signer;
  }

  verificationKeys(pem: string): readonly VerificationKey[] {
    return this.#verification.of(pem, parseVerificationKeys);
  }
}

/**
 * `ownKey` is the server's own key, required if the options name no file and no signer. Rejects with an Error for a file
 * without a key. Also rejects for a signer that does not respond as it must.
 */
export async function createServiceAccountConfig(
  options: CompletedOptions['serviceAccounts'],
  ownKey: ServiceAccountKeyFiles | undefined,
  { parser = tokenKeyParser, ...context }: ServiceAccountDependencies,
): Promise<ServiceAccountConfig> {
  const { clock, logger, loopback, metrics } = context;
  const { issuers, lookup, jwksUri, extendExpiration } = options;
  const now = () => clock.now();
  const [issuer = ''] = issuers;
  const isExternal = options.signingEndpoint !== '';
  const keys = isExternal ? await externalKeys(options, context) : keysOfFiles(options, ownKey, parser);
  for (const warning of options.warnings(keys.maxExpiration)) logger.warning(warning);
  const objects = tokenObjects(loopback.client);
  const labelSecret = secretLabeller(loopback.client);
  return {
    issuer,
    generator: createTokenGenerator({ issuer, sign: keys.sign, now, newTokenId: randomUUID }),
    signSecretToken: isExternal ? undefined : createSecretTokenSigner(keys.sign),
    published: keys.published,
    authentication: {
      issuers,
      keys: keys.source,
      lookup,
      objects,
      labelSecret,
      observe: createTokenMetrics(metrics),
    },
    objects,
    jwksUri,
    maxExpirationSeconds: Math.floor(keys.maxExpiration / 1000),
    extendExpiration,
    maxExtendedSeconds: Math.floor(keys.maxExtended / 1000),
    bootstrapSecret: (name) => secretsOf(loopback.client).get('kube-system', name),
  };
}

function keysOfFiles(
  options: CompletedOptions['serviceAccounts'],
  ownKey: ServiceAccountKeyFiles | undefined,
  parser: TokenKeyParser,
): TokenKeys {
  const signingKeyFile = options.signingKeyFile || (ownKey?.privateKeyFile ?? '');
  const signingKey = orStartupError(
    () => keyOfFile(signingKeyFile, 'private', (pem) => parser.signingKey(pem)),
    'failed to parse service-account-issuer-key-file: ',
  );
  const keyFiles = options.keyFiles.length === 0 ? [signingKeyFile] : options.keyFiles;
  const keys = keyFiles.flatMap((file) => keyOfFile(file, 'public', (pem) => parser.verificationKeys(pem)));
  return {
    sign: parser.signer(signingKey),
    source: staticKeys(keys),
    published: { all: () => keys, maxAgeSeconds: () => STATIC_MAX_AGE_SECONDS },
    maxExpiration: options.maxExpiration,
    maxExtended: YEAR_MS,
  };
}

async function externalKeys(
  { signingEndpoint, maxExpiration }: CompletedOptions['serviceAccounts'],
  context: ServerContext,
): Promise<TokenKeys> {
  const { startExternalSigner } = await import('../external-jwt/index.js');
  const { sign, keys, maxExpiration: supported } = await startExternalSigner(signingEndpoint, maxExpiration, context);
  return {
    sign,
    source: keys,
    published: { all: () => keys.all, maxAgeSeconds: () => keys.maxAgeSeconds },
    maxExpiration: maxExpiration === 0 ? supported : maxExpiration,
    maxExtended: Math.min(supported, YEAR_MS),
  };
}

/** Upstream: PrivateKeyFromFile and PublicKeysFromFile of k8s.io/client-go/util/keyutil */
function keyOfFile<T>(file: string, kind: 'private' | 'public', parse: (pem: string) => T): T {
  const pem = readRequiredFile(file);
  return orStartupError(() => parse(pem), `error reading ${kind} key file ${file}: `);
}

function tokenObjects(client: LoopbackClient): TokenObjectGetter & BoundObjectGetter {
  const core = <T extends KubeObject>(resource: string) => client.resource<T>({ group: '', version: 'v1', resource });
  const accounts = core<ServiceAccount>('serviceaccounts');
  const secrets = secretsOf(client);
  const pods = core<Pod>('pods');
  const nodes = core('nodes');
  return {
    serviceAccount: (namespace, name) => accounts.get(namespace, name),
    secret: (namespace, name) => secrets.get(namespace, name),
    pod: (namespace, name) => pods.get(namespace, name),
    node: (name) => nodes.get('', name),
  };
}

function secretsOf(client: LoopbackClient): ResourceClient<Secret> {
  return client.resource<Secret>({ group: '', version: 'v1', resource: 'secrets' });
}

/** A concurrent update makes it fail. The next use of the token tries again. */
function secretLabeller(client: LoopbackClient): ServiceAccountAuthentication['labelSecret'] {
  const secrets = secretsOf(client);
  return async (namespace, name, [key, value]) => {
    const secret = await secrets.get(namespace, name);
    const labels = { ...secret.metadata.labels, [key]: value };
    await secrets.update(namespace, { ...secret, metadata: { ...secret.metadata, labels } });
  };
}
