import { type Ingress, IngressSpec } from '@apiserver/api/networking/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { warningsForIP } from '../../core/validation/ip-fields.js';
import { validateIngressStatusUpdate } from './status-validation.js';
import { INGRESS_CLASS_ANNOTATION, validateIngressCreate, validateIngressUpdate } from './validation.js';

const STATUS_INGRESS = FieldPath.of('status', 'loadBalancer', 'ingress');

/** Upstream: pkg/registry/networking/ingress/strategy.go */
export function ingressStrategy(features: FeatureGates): Strategy<Ingress> {
  const rules = { relaxedServiceNames: features.enabled('RelaxedServiceNameValidation') };
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    resetFields: ['status'],
    prepareForCreate(_context, ingress) {
      ingress.metadata.generation = 1;
      ingress.status = { loadBalancer: {} };
    },
    validate: (_context, ingress) => validateIngressCreate(ingress, rules),
    warningsOnCreate: (_context, ingress) => annotationWarnings(ingress),
    prepareForUpdate(_context, ingress, old) {
      ingress.status = cloneJson(old.status);
      countSpecChange(ingress, old, IngressSpec);
    },
    validateUpdate: (_context, ingress, old) => validateIngressUpdate(ingress, old, rules),
  };
}

/** Strategy of the status endpoint. `main` is that of the main endpoint. */
export function ingressStatusStrategy(main: Strategy<Ingress>, features: FeatureGates): Strategy<Ingress> {
  const strict = features.enabled('StrictIPCIDRValidation');
  return {
    ...main,
    resetFields: ['spec'],
    prepareForUpdate(_context, ingress, old) {
      ingress.spec = cloneJson(old.spec);
    },
    validateUpdate: (_context, ingress, old) => validateIngressStatusUpdate(ingress, old, strict),
    warningsOnUpdate: (_context, { status }) =>
      (status.loadBalancer.ingress ?? []).flatMap(({ ip }, i) =>
        ip ? warningsForIP(ip, STATUS_INGRESS.index(i).child('ip')) : [],
      ),
  };
}

function annotationWarnings({ metadata, spec }: Ingress): string[] {
  const isSet = Object.hasOwn(metadata.annotations ?? {}, INGRESS_CLASS_ANNOTATION);
  if (!isSet || spec.ingressClassName !== undefined) return [];
  return [`annotation ${quote(INGRESS_CLASS_ANNOTATION)} is deprecated, please use 'spec.ingressClassName' instead`];
}
