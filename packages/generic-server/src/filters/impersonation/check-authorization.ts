import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';

/** Rejects with the 403 if the authorizer does not allow the access. The signal ends a call to another server. */
export type CheckAuthorization = (attributes: AuthorizationAttributes, signal?: AbortSignal) => Promise<void>;
