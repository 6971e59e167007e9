/** A class that the server itself keeps. Upstream: pkg/apis/scheduling/v1/helpers.go */
export interface SystemPriorityClass {
  readonly name: string;
  readonly value: number;
  /** What its object says of it: part of what clients see. */
  readonly description: string;
}

/** Above it only the system has priorities. Upstream: HighestUserDefinablePriority */
export const HIGHEST_USER_DEFINABLE_PRIORITY = 1_000_000_000;
/** Names that begin with it are the system's. */
export const SYSTEM_PRIORITY_CLASS_PREFIX = 'system-';

/** The classes of the system, the most important one first; none is a global default. */
export const systemPriorityClasses: readonly SystemPriorityClass[] = [
  {
    name: 'system-node-critical',
    value: 2 * HIGHEST_USER_DEFINABLE_PRIORITY + 1000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2 * HIGHEST_USER_DEFINABLE_PRIORITY,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

/** What keeps a class with a reserved name from being one of the system's; undefined if it is one. */
export function systemPriorityClassFault(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemPriorityClasses.find((candidate) => candidate.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
