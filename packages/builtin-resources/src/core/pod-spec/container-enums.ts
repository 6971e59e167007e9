/** Values of imagePullPolicy. */
export const IMAGE_PULL_POLICIES: readonly string[] = ['Always', 'IfNotPresent', 'Never'];

/** Values of terminationMessagePolicy. */
export const TERMINATION_MESSAGE_POLICIES: readonly string[] = ['File', 'FallbackToLogsOnError'];

/** Values of a port's protocol. */
export const PORT_PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];
