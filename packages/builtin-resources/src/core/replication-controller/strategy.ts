import { type ReplicationController, ReplicationControllerSpec } from '@apiserver/api/core/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { podNameWarnings } from '../../workload/name-warnings.js';
import type { Strategies } from '../../workload/strategies.js';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { podTemplateWarnings } from '../pod-spec/warnings/pod-warnings.js';
import {
  validateReplicationController,
  validateReplicationControllerStatusUpdate,
  validateReplicationControllerUpdate,
} from './validation.js';

const TEMPLATE = FieldPath.of('spec', 'template');

/** Upstream: pkg/registry/core/replicationcontroller/strategy.go */
export function replicationControllerStrategies(features: PodFeatures): Strategies<ReplicationController> {
  const main: Strategy<ReplicationController> = {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    defaultGarbageCollectionPolicy: 'Orphan',
    resetFields: ['status'],
    prepareForCreate(_context, controller) {
      controller.status = { replicas: 0 };
      controller.metadata.generation = 1;
    },
    validate: (_context, controller) => validateReplicationController(controller, features),
    warningsOnCreate: (_context, { metadata, spec }) => [
      ...podNameWarnings(metadata),
      ...podTemplateWarnings(spec.template, TEMPLATE),
    ],
    prepareForUpdate(_context, controller, old) {
      controller.status = cloneJson(old.status);
      countSpecChange(controller, old, ReplicationControllerSpec);
    },
    validateUpdate: (_context, controller, old) => validateReplicationControllerUpdate(controller, old, features),
    warningsOnUpdate: (_context, { metadata, spec }, old) =>
      metadata.generation === old.metadata.generation ? [] : podTemplateWarnings(spec.template, TEMPLATE),
  };
  return { main, status: statusStrategy(main) };
}

function statusStrategy(main: Strategy<ReplicationController>): Strategy<ReplicationController> {
  return {
    ...main,
    resetFields: ['spec'],
    prepareForUpdate(_context, controller, old) {
      controller.spec = cloneJson(old.spec);
    },
    validateUpdate: (_context, controller, old) => validateReplicationControllerStatusUpdate(controller, old),
    warningsOnUpdate: () => [],
  };
}
