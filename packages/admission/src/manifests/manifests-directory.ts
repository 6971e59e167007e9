import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { goFileError } from '@apiserver/apimachinery/errors';
import {
  type FieldError,
  FieldPath,
  fieldErrorMessage,
  fieldForbidden,
  fieldInvalid,
} from '@apiserver/apimachinery/field';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { ConfigurationError } from '@apiserver/component-base/configuration';

const PATH = FieldPath.of('staticManifestsDir');
const GATE = 'ManifestBasedAdmissionControlConfig';

/**
 * Checks the field `staticManifestsDir` of a configuration; empty is valid. Throws a ConfigurationError.
 * Upstream: ValidateStaticManifestsDir of k8s.io/apiserver/pkg/admission/plugin/manifest
 */
export function checkManifestsDirectory(directory: string, features: FeatureGates): void {
  const error = directory === '' ? undefined : problemOf(directory, features);
  if (error !== undefined) throw new ConfigurationError(fieldErrorMessage(error));
}

function problemOf(directory: string, features: FeatureGates): FieldError | undefined {
  if (!features.enabled(GATE)) {
    return fieldForbidden(PATH, `staticManifestsDir requires the ${GATE} feature gate to be enabled`);
  }
  if (!isAbsolute(directory)) return fieldInvalid(PATH, directory, 'must be an absolute file path');
  try {
    return statSync(directory).isDirectory() ? undefined : fieldInvalid(PATH, directory, 'must be a directory');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return fieldInvalid(PATH, directory, `unable to read: ${goFileError('stat', directory, error)}`);
  }
}
