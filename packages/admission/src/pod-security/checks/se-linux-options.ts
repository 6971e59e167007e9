import type { SELinuxOptions } from '@apiserver/api/core/v1';
import type { Check, FindViolation } from '../check.js';
import { containersOf, namesWhere, settersOf } from '../pod-containers.js';
import { named, sorted } from '../violation.js';

const TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
const TYPES_SINCE_31 = [...TYPES, 'container_engine_t'];

/** Permits only types of containers in SELinux, and neither user nor role. */
export const seLinuxOptions: Check = {
  revisions: [
    { since: 0, find: otherThan(new Set(TYPES)) },
    { since: 31, find: otherThan(new Set(TYPES_SINCE_31)) },
  ],
};

function otherThan(types: ReadonlySet<string>): FindViolation {
  const isBad = (options: SELinuxOptions | undefined) =>
    Boolean(options && (!types.has(options.type ?? '') || options.user || options.role));
  return (pod) => {
    const onPod = pod.spec.securityContext?.seLinuxOptions;
    const containers = namesWhere(pod, ({ securityContext }) => isBad(securityContext?.seLinuxOptions));
    const setters = settersOf(isBad(onPod), containers);
    if (setters.length === 0) return undefined;
    const onContainers = containersOf(pod).map(({ securityContext }) => securityContext?.seLinuxOptions);
    const faults = faultsOf([onPod, ...onContainers], types);
    const detail = `${setters.join(' and ')} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}`;
    return { reason: 'seLinuxOptions', detail };
  };
}

function faultsOf(all: readonly (SELinuxOptions | undefined)[], types: ReadonlySet<string>): readonly string[] {
  const badTypes = sorted(
    all.flatMap((options) => (options && !types.has(options.type ?? '') ? (options.type ?? '') : [])),
  );
  const faults: string[] = [];
  if (badTypes.length > 0) faults.push(named('type', badTypes));
  if (all.some((options) => options?.user)) faults.push('user may not be set');
  if (all.some((options) => options?.role)) faults.push('role may not be set');
  return faults;
}
