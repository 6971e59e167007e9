import type { AuthorizationAttributes, UserInfo } from '@apiserver/apiserver-contracts';

/** The attributes of a request that a policy looks at. `user` is undefined without authentication. */
export interface AuditAttributes extends Omit<AuthorizationAttributes, 'user'> {
  readonly user: UserInfo | undefined;
}
