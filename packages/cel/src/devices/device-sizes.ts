import type { SizeEstimator } from '../cost/decl-type-sizes.js';
import { ITEMS, KEYS, VALUES } from '../cost/path.js';
import type { DeclType } from '../kubernetes/decl-type.js';
import type { DeviceType } from './device-type.js';

/**
 * Estimates the sizes of the values in `device`.
 *
 * Upstream: sizeEstimator in k8s.io/dynamic-resource-allocation/cel/compile.go
 */
export function deviceSizes(device: DeviceType): SizeEstimator {
  return (path) => {
    if (path.at(0) !== 'device') return undefined;
    let decl: DeclType | undefined = device.sized;
    for (let index = 1; index < path.length && decl !== undefined; index++) decl = partOf(device, decl, path.at(index));
    return decl && { min: 0, max: decl.maxElements ?? 0 };
  };
}

function partOf({ attribute, keys }: DeviceType, decl: DeclType, name: string): DeclType | undefined {
  switch (name) {
    case ITEMS:
    case VALUES:
      return decl.element;
    case KEYS:
      return keys.get(decl);
    default:
      return decl.fields?.get(name) ?? (decl.element === attribute ? attribute : undefined);
  }
}
