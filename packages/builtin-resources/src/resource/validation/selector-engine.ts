import { type DeviceFeatures, SelectorCompiler } from '@apiserver/cel';

/** A module of its own, which only `SelectorChecks` loads, when it first needs the engine. */
export function newSelectorCompiler(features: DeviceFeatures): SelectorCompiler {
  return new SelectorCompiler(features);
}
