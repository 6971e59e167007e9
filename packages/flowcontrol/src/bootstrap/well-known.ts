/** Group and version of the configuration. */
export const FLOWCONTROL_V1 = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1' } as const;

/** The resources of the configuration, for clients. */
export const FLOW_SCHEMAS = { ...FLOWCONTROL_V1, resource: 'flowschemas' } as const;
export const PRIORITY_LEVELS = { ...FLOWCONTROL_V1, resource: 'prioritylevelconfigurations' } as const;

/** Names of the mandatory objects, which both kinds share. */
export const EXEMPT = 'exempt';
export const CATCH_ALL = 'catch-all';

/** "true" on an object whose spec the server keeps up to date. */
export const AUTO_UPDATE_ANNOTATION = 'apf.kubernetes.io/autoupdate-spec';

/** An annotation for v1beta3, which is not served; no object may have it. */
export const PRESERVE_ZERO_SHARES_ANNOTATION = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

/** The highest number, and so the lowest precedence, of a flow schema. */
export const MAX_MATCHING_PRECEDENCE = 10_000;
