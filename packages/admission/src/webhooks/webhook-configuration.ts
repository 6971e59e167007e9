import { readFileSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { goFileError, isMissingFile, messageOf } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldErrorMessage, fieldInvalid } from '@apiserver/apimachinery/field';
import { OMIT_EMPTY, STRING, struct } from '@apiserver/apimachinery/schema';
import { quote } from '@apiserver/apimachinery/text';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { ConfigurationError } from '@apiserver/component-base/configuration';
import { decodeKubeconfig } from '@apiserver/rest-client';
import { checkManifestsDirectory } from '../manifests/manifests-directory.js';
import { decodeConfiguration } from '../plugin-configuration.js';

/** The configuration of webhooks. */
export interface WebhookSettings {
  /** Undefined if there is no kubeconfig. */
  readonly users: WebhookUsers | undefined;
  /** The folder with configurations of webhooks; empty if there is none. */
  readonly manifestsDirectory: string;
}

/** The kubeconfig with the users for webhooks. */
export interface WebhookUsers {
  readonly kubeconfig: unknown;
  /** Relative paths in the kubeconfig start here. */
  readonly directory: string;
}

interface ConfigurationFile {
  readonly kubeConfigFile?: string;
  readonly staticManifestsDir?: string;
}

/**
 * Reads a WebhookAdmissionConfiguration, and the kubeconfig that it names. Throws a ConfigurationError with upstream's
 * messages.
 * Upstream: LoadConfig of k8s.io/apiserver/pkg/admission/plugin/webhook/config
 */
export function readWebhookSettings(configuration: unknown, features: FeatureGates): WebhookSettings {
  if (configuration === undefined) return { users: undefined, manifestsDirectory: '' };
  const { kubeConfigFile: file = '', staticManifestsDir = '' } = decode(configuration);
  if (file !== '' && !isAbsolute(file)) {
    const error = fieldInvalid(FieldPath.of('kubeConfigFile'), file, 'must be an absolute file path');
    throw new ConfigurationError(fieldErrorMessage(error));
  }
  checkManifestsDirectory(staticManifestsDir, features);
  const users = file === '' ? undefined : { kubeconfig: readKubeconfig(file), directory: dirname(file) };
  return { users, manifestsDirectory: staticManifestsDir };
}

function decode(configuration: unknown): ConfigurationFile {
  return decodeConfiguration<ConfigurationFile>(configuration, {
    kinds: [{ group: 'apiserver.config.k8s.io', version: 'v1', kind: 'WebhookAdmissionConfiguration' }],
    schema: struct('webhookadmission.v1.WebhookAdmission', 'v1.WebhookAdmission', () => [
      ['kind', 0, STRING, OMIT_EMPTY],
      ['apiVersion', 0, STRING, OMIT_EMPTY],
      ['kubeConfigFile', 0, STRING],
      ['staticManifestsDir', 0, STRING, OMIT_EMPTY],
    ]),
    scheme: 'pkg/admission/plugin/webhook/config/kubeconfig.go:34',
  });
}

function readKubeconfig(file: string): unknown {
  try {
    return decodeKubeconfig(readFileSync(file));
  } catch (error) {
    if (error instanceof Error && isMissingFile(error)) throw new ConfigurationError(goFileError('stat', file, error));
    throw new ConfigurationError(`error loading config file ${quote(file)}: ${messageOf(error)}`);
  }
}
