import { type Authorizer, wellKnownGroups } from '@apiserver/apiserver-contracts';
import { createAuthentication } from '@apiserver/authentication';
import { pathAuthorizer, privilegedGroupsAuthorizer, unionAuthorizer } from '@apiserver/authorization';
import type { AuthoritySource } from '../dynamic-certificates/authority-source.js';
import { appliedAuthentication } from '../options/client-authorities.js';
import type { AuthenticationApplier } from './api-server-options.js';

/** Accepts clients with a certificate of this authority, and anonymous clients. */
export function defaultAuthentication(authority: string): AuthenticationApplier {
  const clientCA: AuthoritySource = { name: 'generated', contents: [authority], onChange: () => {}, follow: () => {} };
  return {
    applyTo: (config) => {
      const { logger, now } = config;
      const clientCAs = () => authority;
      config.authenticator = createAuthentication({ anonymous: true, clientCAs, logger, now }).authenticator;
      return appliedAuthentication(clientCA, undefined);
    },
  };
}

/** Administrators may do everything, others may ask for health. */
export function defaultAuthorizer(): Authorizer {
  return unionAuthorizer([
    privilegedGroupsAuthorizer([wellKnownGroups.privileged]),
    pathAuthorizer(['/healthz', '/livez', '/readyz']),
  ]);
}
