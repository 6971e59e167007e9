import type { Endpoints } from '@apiserver/api/core/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { warningsForIP } from '../validation/ip-fields.js';
import { validateEndpoints, validateEndpointsUpdate } from './validation.js';

const SUBSETS = FieldPath.of('subsets');

/** Subsets are stored as sent, neither sorted nor merged. Upstream: pkg/registry/core/endpoint/strategy.go */
export function endpointsStrategy(features: FeatureGates): Strategy<Endpoints> {
  const rules = { strict: features.enabled('StrictIPCIDRValidation') };
  return {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    validate: (_context, endpoints) => validateEndpoints(endpoints, rules),
    warningsOnCreate: (_context, endpoints) => addressWarnings(endpoints),
    validateUpdate: (_context, endpoints, old) => validateEndpointsUpdate(endpoints, old, rules),
    warningsOnUpdate: (_context, endpoints) => addressWarnings(endpoints),
  };
}

function addressWarnings({ subsets = [] }: Endpoints): string[] {
  return subsets.flatMap((subset, i) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((field) =>
      (subset[field] ?? []).flatMap(({ ip }, j) =>
        warningsForIP(ip, SUBSETS.index(i).child(field).index(j).child('ip')),
      ),
    ),
  );
}
