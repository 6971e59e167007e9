/** When a container's image is fetched. */
export const IMAGE_PULL_POLICIES: readonly string[] = ['Always', 'IfNotPresent', 'Never'];

/** Where a container's last words come from. */
export const TERMINATION_MESSAGE_POLICIES: readonly string[] = ['File', 'FallbackToLogsOnError'];

/** What a container's port speaks. */
export const PORT_PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];
