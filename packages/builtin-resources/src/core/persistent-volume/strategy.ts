import type { PersistentVolume } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import { formatTime } from '@apiserver/apimachinery/values';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { validateMountOptionsAnnotation } from './mount-options-annotation.js';
import {
  validatePersistentVolume,
  validatePersistentVolumeStatusUpdate,
  validatePersistentVolumeUpdate,
} from './validation.js';
import { persistentVolumeWarnings } from './warnings.js';

/** Strategies of the main and status endpoints; the clock sets the time of the last phase transition. */
export interface PersistentVolumeStrategies {
  readonly main: Strategy<PersistentVolume>;
  readonly status: Strategy<PersistentVolume>;
}

/** Upstream: pkg/registry/core/persistentvolume/strategy.go */
export function persistentVolumeStrategies(
  clock: { now(): number },
  features: FeatureGates,
): PersistentVolumeStrategies {
  const mutableAffinity = features.enabled('MutablePVNodeAffinity');
  const main: Strategy<PersistentVolume> = {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    resetFields: ['status'],
    prepareForCreate(_context, volume) {
      volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(clock.now()) };
    },
    validate: (_context, volume) => [...validatePersistentVolume(volume), ...validateMountOptionsAnnotation(volume)],
    warningsOnCreate: (_context, volume) => persistentVolumeWarnings(volume),
    prepareForUpdate(_context, volume, old) {
      volume.status = cloneJson(old.status);
    },
    validateUpdate: (_context, volume, old) => validatePersistentVolumeUpdate(volume, old, mutableAffinity),
    warningsOnUpdate: (_context, volume) => persistentVolumeWarnings(volume),
  };
  const status: Strategy<PersistentVolume> = {
    ...main,
    resetFields: ['spec'],
    prepareForUpdate(_context, volume, old) {
      volume.spec = cloneJson(old.spec);
      const { phase, lastPhaseTransitionTime: time } = volume.status;
      const { phase: phaseBefore, lastPhaseTransitionTime: timeBefore } = old.status;
      if (time !== undefined && time !== timeBefore) return;
      const kept = phase === phaseBefore ? timeBefore : formatTime(clock.now());
      if (kept !== undefined) volume.status.lastPhaseTransitionTime = kept;
    },
    validateUpdate: (_context, volume, old) => validatePersistentVolumeStatusUpdate(volume, old),
    warningsOnUpdate: () => [],
  };
  return { main, status };
}
