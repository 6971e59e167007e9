import type { HorizontalPodAutoscaler } from '@apiserver/api/autoscaling/v2';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { droppingFields, gatedFields } from '../../gated-fields.js';
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerStatusUpdate,
  validateHorizontalPodAutoscalerUpdate,
} from './validation.js';

const TOLERANCE = gatedFields<HorizontalPodAutoscaler>(
  'spec.behavior.scaleDown.tolerance',
  'spec.behavior.scaleUp.tolerance',
);

/** Upstream: pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go */
export function horizontalPodAutoscalerStrategy(features: FeatureGates): Strategy<HorizontalPodAutoscaler> {
  const dropDisabled = droppingFields(features.enabled('HPAConfigurableTolerance') ? [] : [TOLERANCE]);
  const scalesToZero = features.enabled('HPAScaleToZero');
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    resetFields: ['status'],
    prepareForCreate(_context, autoscaler) {
      autoscaler.status = { desiredReplicas: 0, currentMetrics: null };
      dropDisabled(autoscaler, undefined);
    },
    validate: (_context, autoscaler) => validateHorizontalPodAutoscaler(autoscaler, scalesToZero),
    prepareForUpdate(_context, autoscaler, old) {
      autoscaler.status = cloneJson(old.status);
      dropDisabled(autoscaler, old);
    },
    validateUpdate: (_context, autoscaler, old) => validateHorizontalPodAutoscalerUpdate(autoscaler, old, scalesToZero),
  };
}

/** Strategy of the status endpoint. `main` is that of the main endpoint. */
export function horizontalPodAutoscalerStatusStrategy(
  main: Strategy<HorizontalPodAutoscaler>,
): Strategy<HorizontalPodAutoscaler> {
  return {
    ...main,
    resetFields: ['spec'],
    prepareForUpdate(_context, autoscaler, old) {
      autoscaler.spec = cloneJson(old.spec);
    },
    validateUpdate: (_context, autoscaler, old) => validateHorizontalPodAutoscalerStatusUpdate(autoscaler, old),
  };
}
