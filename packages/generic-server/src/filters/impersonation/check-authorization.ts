import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';

/** Rejects with the 403 when the authorizer does not allow. */
export type CheckAuthorization = (attributes: AuthorizationAttributes) => Promise<void>;
