import type { VolumeAttributesClass } from '@apiserver/api/storage/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateVolumeAttributesClass, validateVolumeAttributesClassUpdate } from './validation.js';

/** Upstream: pkg/registry/storage/volumeattributesclass/strategy.go */
export const volumeAttributesClassStrategy: Strategy<VolumeAttributesClass> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: (_context, attributes) => validateVolumeAttributesClass(attributes),
  validateUpdate: (_context, attributes, old) => validateVolumeAttributesClassUpdate(attributes, old),
};
