import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';

/** Rejects with the 403 if the authorizer does not allow the access. */
export type CheckAuthorization = (attributes: AuthorizationAttributes) => Promise<void>;
