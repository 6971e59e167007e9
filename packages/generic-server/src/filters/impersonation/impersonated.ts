import type { UserInfo } from '@apiserver/apiserver-contracts';

/** The user as whom a request goes on. */
export interface Impersonated {
  readonly user: UserInfo;
  /** The verb of the constrained mode that allowed it, or "". */
  readonly constraint: string;
}
