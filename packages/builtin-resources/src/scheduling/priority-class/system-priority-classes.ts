/** A class that the server creates. Upstream: pkg/apis/scheduling/v1/helpers.go */
export interface SystemPriorityClass {
  readonly name: string;
  readonly value: number;
  /** The description in its object, visible to clients. */
  readonly description: string;
}

/** Higher priorities are reserved for the system. Upstream: HighestUserDefinablePriority */
export const HIGHEST_USER_DEFINABLE_PRIORITY = 1_000_000_000;
/** The prefix of reserved names. */
export const SYSTEM_PRIORITY_CLASS_PREFIX = 'system-';

/** The system classes, highest priority first; none is a global default. */
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

/** The reason why a class with a reserved name is no system class; undefined if it is one. */
export function systemPriorityClassFault(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemPriorityClasses.find((candidate) => candidate.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
