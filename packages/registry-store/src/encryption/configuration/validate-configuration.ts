import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { formatDuration, parseDuration } from '@apiserver/apimachinery/values';
import type {
  EncryptionConfiguration,
  Key,
  KeysConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
} from './encryption-configuration.js';
import { validateKms } from './validate-kms.js';
import { validateResources } from './validate-resources.js';

const AES_KEY_SIZES = [16, 24, 32];
const SECRETBOX_KEY_SIZES = [32];
/** With padding, and line breaks taken out. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Replaces every secret that a message would show. */
const REDACTED = 'REDACTED';

/**
 * All errors of a defaulted configuration.
 * Upstream: k8s.io/apiserver/pkg/apis/apiserver/validation/validation_encryption.go
 */
export function validateConfiguration({ resources }: EncryptionConfiguration, reload: boolean): readonly FieldError[] {
  const root = FieldPath.of('resources');
  if (resources === null || resources.length === 0) return [atLeastOne(root, root.toString())];
  const kmsNames = new Set<string>();
  return resources.flatMap((configuration, i) => {
    const names = root.index(i).child('resources');
    const providers = root.index(i).child('providers');
    return [
      ...validateResources(configuration.resources ?? [], names),
      ...(configuration.providers?.length ? [] : [atLeastOne(providers, providers.toString())]),
      ...(configuration.providers ?? []).flatMap((provider, j) =>
        validateProvider(provider, providers.index(j), { kmsNames, reload }),
      ),
    ];
  });
}

function validateProvider(
  provider: ProviderConfiguration,
  path: FieldPath,
  context: { readonly kmsNames: Set<string>; readonly reload: boolean },
): readonly FieldError[] {
  const { aesgcm, aescbc, secretbox, kms } = provider;
  const errors = validateNumber(provider, path);
  if (kms !== undefined) {
    errors.push(...validateKms(kms, path.child('kms'), context));
    context.kmsNames.add(kms.name);
  } else if (aesgcm !== undefined) {
    errors.push(...validateKeys(aesgcm, path.child('aesgcm'), AES_KEY_SIZES));
  } else if (aescbc !== undefined) {
    errors.push(...validateKeys(aescbc, path.child('aescbc'), AES_KEY_SIZES));
  } else if (secretbox !== undefined) {
    errors.push(...validateKeys(secretbox, path.child('secretbox'), SECRETBOX_KEY_SIZES));
  }
  return errors;
}

/** Each element must have one provider. */
function validateNumber(provider: ProviderConfiguration, path: FieldPath): FieldError[] {
  const { aesgcm, aescbc, secretbox, identity, kms } = provider;
  const given = [aesgcm, aescbc, secretbox, identity, kms].filter((one) => one !== undefined);
  if (given.length === 1) return [];
  const none = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity';
  const several = 'more than one provider specified in a single element, should split into different list elements';
  return [fieldInvalid(path, printed(provider), given.length === 0 ? none : several)];
}

/** The form of Go's output, without the secrets. */
function printed({ aesgcm, aescbc, secretbox, identity, kms }: ProviderConfiguration): unknown {
  const keys = (configuration: KeysConfiguration | undefined) =>
    configuration === undefined
      ? null
      : { Keys: configuration.keys?.map(({ name }) => ({ Name: name, Secret: REDACTED })) ?? null };
  return {
    AESGCM: keys(aesgcm),
    AESCBC: keys(aescbc),
    Secretbox: keys(secretbox),
    Identity: identity ?? null,
    KMS: kms === undefined ? null : printedKms(kms),
  };
}

function printedKms({ apiVersion, name, cachesize, endpoint, timeout }: KmsConfiguration): unknown {
  const printedTimeout = timeout === undefined ? null : formatDuration(parseDuration(timeout));
  return {
    APIVersion: apiVersion,
    Name: name,
    CacheSize: cachesize ?? null,
    Endpoint: endpoint,
    Timeout: printedTimeout,
  };
}

function validateKeys({ keys }: KeysConfiguration, path: FieldPath, sizes: readonly number[]): readonly FieldError[] {
  const list = path.child('keys');
  if (keys === null || keys.length === 0) return [atLeastOne(list, 'keys')];
  return keys.flatMap((key, i) => validateKey(key, list.index(i), sizes));
}

function validateKey({ name, secret }: Key, path: FieldPath, sizes: readonly number[]): readonly FieldError[] {
  const errors = name === '' ? [fieldRequired(path.child('name'), 'name is a mandatory field for a key')] : [];
  const fault = secretFault(secret, sizes);
  if (secret === '') errors.push(fieldRequired(path.child('secret'), 'secret is a mandatory field for a key'));
  else if (fault !== undefined) errors.push(fieldInvalid(path.child('secret'), REDACTED, fault));
  return errors;
}

function secretFault(secret: string, sizes: readonly number[]): string | undefined {
  if (!BASE64.test(secret.replace(/[\r\n]/g, ''))) return 'secrets must be base64 encoded';
  const { length } = Buffer.from(secret, 'base64');
  if (sizes.includes(length)) return undefined;
  return `secret is not of the expected length, got ${length}, expected one of [${sizes.join(' ')}]`;
}

function atLeastOne(path: FieldPath, what: string): FieldError {
  return fieldRequired(path, `at least one ${what} is required`);
}
