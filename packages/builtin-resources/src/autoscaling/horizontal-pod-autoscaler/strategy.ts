import type { HorizontalPodAutoscaler } from '@apiserver/api/autoscaling/v2';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerStatusUpdate,
  validateHorizontalPodAutoscalerUpdate,
} from './validation.js';

/** Upstream: pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go */
export const horizontalPodAutoscalerStrategy: Strategy<HorizontalPodAutoscaler> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(_context, autoscaler) {
    autoscaler.status = { desiredReplicas: 0, currentMetrics: null };
  },
  validate: (_context, autoscaler) => validateHorizontalPodAutoscaler(autoscaler),
  prepareForUpdate(_context, autoscaler, old) {
    autoscaler.status = cloneJson(old.status);
  },
  validateUpdate: (_context, autoscaler, old) => validateHorizontalPodAutoscalerUpdate(autoscaler, old),
};

/** Strategy of the status endpoint. */
export const horizontalPodAutoscalerStatusStrategy: Strategy<HorizontalPodAutoscaler> = {
  ...horizontalPodAutoscalerStrategy,
  resetFields: ['spec'],
  prepareForUpdate(_context, autoscaler, old) {
    autoscaler.spec = cloneJson(old.spec);
  },
  validateUpdate: (_context, autoscaler, old) => validateHorizontalPodAutoscalerStatusUpdate(autoscaler, old),
};
