import type { ServiceAccount } from '@apiserver/api/core/v1';
import type { FieldError } from '@apiserver/apimachinery/field';
import { validateServiceAccountName } from '@apiserver/apimachinery/validation';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';

const ENFORCE_MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';
const DEPRECATION = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';

/** Upstream: pkg/registry/core/serviceaccount/strategy.go */
export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate: (_context, account) => keepSecretNames(account),
  validate: (_context, account) => validateServiceAccount(account),
  warningsOnCreate: (_context, account) => annotationWarnings(account),
  prepareForUpdate: (_context, account) => keepSecretNames(account),
  validateUpdate: (_context, account, old) => [
    ...validateBuiltInObjectMetaUpdate(account.metadata, old.metadata),
    ...validateServiceAccount(account),
  ],
  warningsOnUpdate: (_context, account, old) => (isEnforcing(old) ? [] : annotationWarnings(account)),
};

/** Keeps only the names in references to secrets. Mutates. */
function keepSecretNames(account: ServiceAccount): void {
  if (account.secrets === undefined) return;
  account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

/** Upstream: ValidateServiceAccount of pkg/apis/core/validation/validation.go */
function validateServiceAccount({ metadata }: ServiceAccount): FieldError[] {
  return validateBuiltInObjectMeta(metadata, { namespaced: true, validateName: validateServiceAccountName });
}

function isEnforcing({ metadata }: ServiceAccount): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, ENFORCE_MOUNTABLE_SECRETS);
}

function annotationWarnings(account: ServiceAccount): string[] {
  return isEnforcing(account) ? [`metadata.annotations[${ENFORCE_MOUNTABLE_SECRETS}]: ${DEPRECATION}`] : [];
}
