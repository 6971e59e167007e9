import type { WarningRecorder } from '@apiserver/apiserver-contracts';

/** The prefix of all errors of upstream's YAML reader. */
const YAML_ERRORS = /^(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n/;

/**
 * Records warnings for strict decoding errors: one for each, although those of YAML come in one text.
 *
 * Upstream: addStrictDecodingWarnings in k8s.io/apiserver/pkg/endpoints/handlers/rest.go
 */
export function warnStrictErrors(warnings: WarningRecorder, errors: readonly string[]): void {
  for (const error of errors) {
    const faults = error.replace(YAML_ERRORS, '');
    if (faults === error) warnings.warn(error);
    else for (const fault of faults.split('\n')) warnings.warn(fault.trim());
  }
}
